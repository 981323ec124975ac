/** The signals that ask a process to end, and the exit code each leads to. */
export const EXIT_CODES = { SIGINT: 130, SIGTERM: 0 } as const;

type EndSignal = keyof typeof EXIT_CODES;

/** The part of `process` that handling signals needs. */
export interface SignalHost {
  exitCode?: number | string | null | undefined;
  on(signal: EndSignal, listener: (signal: EndSignal) => void): unknown;
  off(signal: EndSignal, listener: (signal: EndSignal) => void): unknown;
  exit(code: number): void;
}

/**
 * Lets the first SIGTERM or SIGINT end the process gently and a second one end it at once.
 *
 * @param shutDown resolves when the work in flight is done.
 * @param graceMs how long the rest of the process may take after that before it is made to exit, in milliseconds.
 * @returns stops listening.
 */
export function handleSignals(host: SignalHost, shutDown: () => Promise<void>, graceMs: number): () => void {
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
      // Fires only if something else, such as a user's interval, keeps the process from ending by itself.
      setTimeout(() => host.exit(code), graceMs).unref();
    });
  };
  const signals = Object.keys(EXIT_CODES) as EndSignal[];
  for (const signal of signals) host.on(signal, listener);
  return () => {
    for (const signal of signals) host.off(signal, listener);
  };
}
