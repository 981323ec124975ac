/** Whether a value has more than so many elements and properties, at all depths together. Looks at few more than that. */
export function hasMembers(value: unknown, more: number): boolean {
  const found: unknown[] = [value];
  for (const one of found) {
    if (typeof one !== 'object' || one === null) continue;
    if (Array.isArray(one) && found.length + one.length > more + 1) return true;
    for (const name in one) {
      if (found.push((one as Record<string, unknown>)[name]) > more + 1) return true;
    }
  }
  return false;
}
