import { messageOf } from '../errors/errors.js';
import type { Logger } from '../protocol/logging.js';
import { LogThrottle } from '../transport/log-throttle.js';
import type { Tracked, Tracking } from '../transport/transport.js';
import { type AsyncStorage, callStorage, consoleLogger, onUnhandledRejection } from './platform.js';

/** Logs unhandled rejections. One instance serves all apps, because rejections belong to the process. */
class UnhandledRejections {
  /**
   * The tracking of authors' code; empty until it starts. Mounted apps share it, because their calls may run
   * in a process that another app owns.
   */
  readonly tracking: Tracking = {};
  readonly #told = new LogThrottle();
  #storage: AsyncStorage<Tracked> | undefined;
  /** The logger of the app that has started to run last. */
  #logger: Logger | undefined;

  /**
   * Logs unhandled rejections until the process ends, because pending work of a closed app may still fail.
   * Other listeners are called as well.
   *
   * Before Node 24, it costs each call a tenth of its time to find out which call a rejection belongs to. On
   * these versions, authors' code is only tracked after the first unhandled rejection.
   */
  survive(logger: Logger): void {
    const listens = this.#logger !== undefined;
    this.#logger = logger;
    if (listens) return;
    this.#storage = callStorage();
    if (this.#storage?.isCheap) this.#track();
    onUnhandledRejection(this.#report);
  }

  #track(): void {
    const storage = this.#storage;
    if (storage) this.tracking.track = (about, run) => storage.run(about, run);
  }

  readonly #report = (reason: unknown): void => {
    const about = this.#storage?.getStore();
    if (about) return about.logger.error({ err: reason, ...about.details() }, FORGOTTEN);
    const isTracked = this.tracking.track !== undefined;
    // Before the line is written: unhandled promises of the logger must be known as its own.
    this.#track();
    // It may be the logger's all the same, of lines that it keeps for later: each would cause the next.
    if (!this.#told.allows(kindOf(reason))) return;
    const begins = !isTracked && this.tracking.track !== undefined;
    this.#logger?.error({ err: reason }, begins ? `${FORGOTTEN}; ${LATER_ONES}` : FORGOTTEN);
  };
}

export const unhandledRejections: UnhandledRejections = new UnhandledRejections();

const FORGOTTEN = 'a promise was rejected, but nothing awaits it: await it, or add a catch()';
const LATER_ONES = 'later ones are logged with their definition';

const MOST_KIND_CHARACTERS = 200;

function kindOf(reason: unknown): string {
  try {
    return messageOf(reason).slice(0, MOST_KIND_CHARACTERS);
  } catch {
    return 'without a message';
  }
}

const loggersTold = new LogThrottle();

/**
 * Identifies promises that the author's logger has created. If such a promise is rejected, the rejection is printed on
 * the console. The logger does not receive it, because each log line could cause a further rejection.
 */
export const LOGGING: Tracked = {
  logger: {
    ...consoleLogger,
    error: (details, message) => {
      if (loggersTold.allows('logger')) consoleLogger.error(details, message);
    },
  },
  details: () => ({ forgottenBy: 'the logger' }),
};
