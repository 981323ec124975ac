/** A kind that is made up at each line must not fill the memory instead. */
const MOST_KINDS = 1000;

/**
 * Limits repeated log lines, so that neither clients nor flapping connections can fill the log: each kind of line
 * passes once a minute.
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

  /** @param everyMs how often a kind of line passes, in milliseconds. */
  constructor(private readonly everyMs = 60_000) {}

  /** Whether a line of a kind may be written now. @param kind one of few: nothing that a client sent. */
  allows(kind: string): boolean {
    const now = performance.now();
    if (now - (this.#toldAt.get(kind) ?? -Infinity) < this.everyMs) return false;
    if (this.#toldAt.size >= MOST_KINDS) this.#toldAt.clear();
    this.#toldAt.set(kind, now);
    return true;
  }
}
