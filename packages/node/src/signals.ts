/** The signals that request the end of a process, and the exit code of the process after each signal. */
export const EXIT_CODES = { SIGINT: 130, SIGTERM: 0 } as const;

type EndSignal = keyof typeof EXIT_CODES;

/** The members of `process` that are needed to handle signals. */
export interface SignalProcess {
  exitCode?: number | string | null | undefined;
  /** Ends the process. */
  exit(code?: number): void;
  /** Listens for a signal. */
  on(signal: EndSignal, listener: (signal: EndSignal) => void): unknown;
  /** Stops listening. */
  off(signal: EndSignal, listener: (signal: EndSignal) => void): unknown;
}

/** How long the process may take to end by itself once everything is closed, in milliseconds. */
const LAST_MS = 50;
/** How long disposal may take by default, in milliseconds. */
const DISPOSAL_MS = 5_000;

/**
 * Exits the process after an app has closed. Timers that are still active do not prevent this, and neither do handlers
 * that ignore their abort signal.
 *
 * @param host `process`, or an object with its method `exit`.
 * @param closed a promise that settles when the services of the app have been disposed of.
 * @param graceMs how long the disposal can take before the process exits anyway, in milliseconds; 5,000 by default.
 * @example
 * ```ts
 * exitAfter(process, app.close());
 * ```
 */
export function exitAfter(
  host: Pick<SignalProcess, 'exit'>,
  closed: Promise<unknown>,
  graceMs: number = DISPOSAL_MS,
): void {
  const exitIn = (ms: number): void => void setTimeout(() => host.exit(), ms).unref();
  const settled = (): void => exitIn(LAST_MS);
  exitIn(graceMs);
  closed.then(settled, settled);
}

/**
 * Handles SIGTERM and SIGINT: the first signal shuts the process down gracefully, and a second signal ends it
 * immediately.
 *
 * @param host `process`, or an object with the members of `SignalProcess`.
 * @param shutDown a function that is called at the first signal. The promise that it returns resolves when the work in
 *   flight is done.
 * @param graceMs how long the process can take to end by itself after this promise settles, in milliseconds; 5,000 by
 *   default. After that time, it is forced to exit.
 * @returns a function that removes the listeners for the signals.
 * @example
 * ```ts
 * const stopListening = handleSignals(process, () => app.close());
 * ```
 */
export function handleSignals(
  host: SignalProcess,
  shutDown: () => Promise<void>,
  graceMs: number = DISPOSAL_MS,
): () => void {
  const state = { ending: false };
  const listener = (signal: EndSignal): void => {
    const code = EXIT_CODES[signal];
    if (state.ending) {
      host.exit(code);
      return;
    }
    state.ending = true;
    host.exitCode = code;
    void shutDown().finally(() => {
      // This fires only if something else, such as an interval in the author's code, keeps the process from ending by
      // itself.
      setTimeout(() => host.exit(code), graceMs).unref();
    });
  };
  const signals = Object.keys(EXIT_CODES) as EndSignal[];
  for (const signal of signals) host.on(signal, listener);
  return () => {
    for (const signal of signals) host.off(signal, listener);
  };
}
