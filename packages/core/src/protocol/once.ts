/** Makes a value when it is first asked for, and gives the same ever after. */
export function once<T>(make: () => T): () => T {
  const kept: { value?: T } = {};
  return () => (kept.value ??= make());
}
