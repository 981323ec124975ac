/** Maximum number of kinds that are remembered. */
const MOST_KINDS = 1000;

/**
 * Limits repeated log lines to one line of each kind per minute, so that clients and unstable connections cannot
 * fill the log.
 *
 * @example
 * ```ts
 * const told = new LogThrottle();
 * server.on('drop', () => {
 *   if (told.allows('drop')) logger.warn('Connections are refused');
 * });
 * ```
 */
export class LogThrottle {
  readonly #toldAt = new Map<string, number>();

  /** @param everyMs the minimum time between two lines of a kind, in milliseconds. */
  constructor(private readonly everyMs = 60_000) {}

  /**
   * Returns whether a line of this kind may be logged now. If so, the line counts as logged.
   *
   * @param kind the kind of line: one of a few fixed texts, never a text from a client.
   */
  allows(kind: string): boolean {
    const now = performance.now();
    if (now - (this.#toldAt.get(kind) ?? -Infinity) < this.everyMs) return false;
    if (this.#toldAt.size >= MOST_KINDS) this.#toldAt.clear();
    this.#toldAt.set(kind, now);
    return true;
  }
}
