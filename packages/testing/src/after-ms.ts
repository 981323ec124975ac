const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Runs something later.
 *
 * @param ms milliseconds; more than timers can count, such as `Infinity`, means never.
 * @returns calls it off.
 */
export function afterMs(ms: number, run: () => void): () => void {
  if (ms > LONGEST_TIMER_MS) return () => undefined;
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}
