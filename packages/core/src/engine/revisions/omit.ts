/** A copy of an object without some keys; the object itself when it has none of them. */
export function omit<T extends object>(value: T, keys: readonly string[]): T {
  if (!keys.some((key) => key in value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key))) as T;
}
