import type { HookWatch } from '../container/lifecycle.js';
import type { Logger } from '../protocol/logging.js';
import { unref, within } from '../transport/deadlines.js';

/** When a hook that runs at start is first logged, and how often it is logged again, in milliseconds. */
const START_MS = { first: 10_000, again: 60_000 };
/**
 * When a hook that runs at the end is logged, and how long all hooks of one scope may take, in milliseconds.
 */
const END_MS = { first: 2_000, all: 5_000 };

/**
 * Logs slow hooks of services. A hook that delays the start, such as `onInit`, is logged after 10 seconds, and then
 * every minute until it ends. A hook that delays the end of the program is logged once, after 2 seconds.
 *
 * @param logger receives these lines.
 */
export function watchHooks(logger: Pick<Logger, 'warn'>): HookWatch {
  const slow = (hook: string, forMs: number, message: string): void =>
    logger.warn({ hook, forMs }, `${hook} has been running for ${forMs / 1000} seconds: ${message}`);
  return {
    async starting(hook, work) {
      let forMs = START_MS.first;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const wait = (ms: number): void => {
        timer = setTimeout(say, ms);
        // A program that nothing else keeps alive has stopped, which the host says.
        unref(timer);
      };
      const say = (): void => {
        slow(hook, forMs, 'this must end before the app starts');
        forMs += START_MS.again;
        wait(START_MS.again);
      };
      wait(START_MS.first);
      try {
        return await work;
      } finally {
        clearTimeout(timer);
      }
    },
    ending() {
      const endsAt = performance.now() + END_MS.all;
      return async (hook, work) => {
        const left = Math.max(0, endsAt - performance.now());
        const timer = setTimeout(
          () => slow(hook, END_MS.first, 'closing waits at most 5 seconds for it'),
          END_MS.first,
        );
        try {
          await within(left, work, () => {
            throw new Error(`it had not ended after the ${END_MS.all} ms that closing may take`);
          });
        } finally {
          clearTimeout(timer);
        }
      };
    },
  };
}
