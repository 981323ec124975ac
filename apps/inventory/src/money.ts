/** Euros of an amount in cents, for JSON. */
export function toEuros(cents: number): number {
  return cents / 100;
}

/** An amount in cents, for people: `EUR 349.00`. */
export function formatEuros(cents: number): string {
  return `EUR ${(cents / 100).toFixed(2)}`;
}
