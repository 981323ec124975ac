/** A list that a decorator was given; anything else counts as an empty one. */
export function listed(values: unknown): readonly unknown[] {
  return Array.isArray(values) ? values : [];
}

/** Of some values those that can equal one that came as JSON, each once: class-validator compares by identity. */
export function comparable(values: readonly unknown[]): readonly unknown[] {
  return [...new Set(values.filter(isComparable))];
}

function isComparable(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return value === null || typeof value === 'string' || typeof value === 'boolean';
}
