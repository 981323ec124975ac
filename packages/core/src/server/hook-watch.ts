import type { HookWatch } from '../container/lifecycle.js';
import type { Logger } from '../protocol/logging.js';
import { unref, within } from '../transport/deadlines.js';

/** After how long a hook at start is named that has not ended, and how often again, in milliseconds. */
const START_MS = { first: 10_000, again: 60_000 };
/** After how long a hook at the end is named, and how long all of one scope may take, in milliseconds. */
const END_MS = { first: 2_000, all: 5_000 };

/**
 * Names the hooks of services that hang: without it, a program that does not start or end says nothing.
 *
 * @param logger gets one line for each, and at start another each minute.
 */
export function watchHooks(logger: Pick<Logger, 'warn'>): HookWatch {
  const slow = (hook: string, forMs: number, message: string): void =>
    logger.warn({ hook, forMs }, `${hook} has not ended for ${forMs / 1000} seconds: ${message}`);
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
        slow(hook, forMs, 'the app starts when it has');
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
          () => slow(hook, END_MS.first, 'closing waits for it no longer than 5'),
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
