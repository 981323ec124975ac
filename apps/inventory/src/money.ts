/** Converts cents to euros, for JSON. */
export function toEuros(cents: number): number {
  return cents / 100;
}

/** Formats an amount in cents for people, for example as `EUR 349.00`. */
export function formatEuros(cents: number): string {
  return `EUR ${(cents / 100).toFixed(2)}`;
}
