import { logDetails } from '../context/call.js';
import type { EngineCall } from '../engine/call.js';
import type { TrackCall } from '../engine/exchange.js';
import type { Logger } from '../protocol/logging.js';
import { type AsyncStorage, callStorage } from './host.js';

interface Tracked {
  readonly call: EngineCall;
  readonly logger: Logger;
}

/** One for all apps of the process: rejections come to the process, too. */
class RejectionReporter {
  /** What begins to track the calls of an app; empty once that has begun. */
  readonly #waiting = new Set<{ readonly begin: () => void; readonly logger: Logger }>();
  #storage: AsyncStorage<Tracked> | undefined;
  #isTracking = false;

  survive(logger: Logger, track: (run: TrackCall) => void): void {
    const storage = (this.#storage ??= callStorage<Tracked>(this.#report));
    if (!storage) return;
    const begin = (): void => track((call, run) => storage.run({ call, logger }, run));
    if (this.#isTracking || storage.isCheap) begin();
    else this.#waiting.add({ begin, logger });
  }

  readonly #report = (reason: unknown, isAlone: boolean): void => {
    const tracked = this.#storage?.getStore();
    if (tracked) return tracked.logger.error({ err: reason, ...logDetails(tracked.call) }, FORGOTTEN);
    if (this.#waiting.size === 0) {
      if (isAlone) throw reason;
      return;
    }
    this.#isTracking = true;
    for (const { begin, logger } of this.#waiting) {
      logger.error({ err: reason }, `${FORGOTTEN}; the next one will be logged with its definition`);
      begin();
    }
    this.#waiting.clear();
  };
}

const reporter = new RejectionReporter();

/**
 * Survives promises that a handler began and that nothing awaits: they are logged with the definition whose handler it was. Other
 * unhandled rejections end the process, as the host does by itself, unless the author listens to them. This lasts until the process
 * ends: what a closed app has left behind may still fail.
 *
 * To know whose a rejection is costs every call a tenth of its time before Node 24. There calls are tracked from the first unhandled
 * rejection on, and that one is logged and survived whatever it belongs to.
 *
 * @param track is given what runs handlers from then on.
 */
export function surviveRejections(logger: Logger, track: (run: TrackCall) => void): void {
  reporter.survive(logger, track);
}

const FORGOTTEN =
  'a promise of a handler was rejected, and nothing awaited it: await it, or give it a catch()';
