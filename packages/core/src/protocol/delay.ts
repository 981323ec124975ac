/** Timers take no longer delay. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** What a delay is, for messages to the author. */
export const DELAY: string = `a positive integer of milliseconds, ${MAX_DELAY_MS} at most`;

/** Whether a value is a delay that timers can keep. */
export function isDelay(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) <= MAX_DELAY_MS;
}
