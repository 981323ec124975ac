import { EXIT_CODES, type ExitCode } from '../exit-codes.js';

/** What ends the development loop, and the exit code of each: Ctrl-C is an interruption, the others are orders. */
const STOPS = { SIGINT: EXIT_CODES.interrupted, SIGTERM: EXIT_CODES.ok, SIGHUP: EXIT_CODES.ok } as const;

/** `npm run` passes on what the terminal has sent to everybody already: so soon, a second signal is the first again. */
const ECHO_MS = 500;

/**
 * Listens to the signals that ask a process to end.
 *
 * @param stop called at the first one, with the exit code it leads to.
 * @param force called at every other one: somebody has no patience.
 * @returns stops listening.
 */
export function onStopSignals(stop: (code: ExitCode) => void, force: () => void): () => void {
  const state: { stoppingSince?: number } = {};
  const listener = (signal: NodeJS.Signals): void => {
    const now = performance.now();
    if (state.stoppingSince !== undefined) {
      if (now - state.stoppingSince > ECHO_MS) force();
      return;
    }
    state.stoppingSince = now;
    stop(STOPS[signal as keyof typeof STOPS]);
  };
  const signals = Object.keys(STOPS) as (keyof typeof STOPS)[];
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}
