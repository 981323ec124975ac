import type { Logger, LogMethod } from '../protocol/logging.js';
import { type MaybePromise, recovered } from '../protocol/maybe-promise.js';
import { consoleLogger } from './platform.js';
import { LOGGING, unhandledRejections } from './unhandled-rejections.js';

/** A logger whose destination is the author's, else that of the runtime that is started, and the console until there is one. */
export class RelayLogger implements Logger {
  #target: Logger;
  readonly #fixed: boolean;

  constructor(target: Logger | undefined) {
    this.#target = target ?? consoleLogger;
    this.#fixed = target !== undefined;
  }

  /** Settles the destination, unless the author did. */
  relayTo(target: Logger | undefined): void {
    if (!this.#fixed && target) this.#target = target;
  }

  readonly debug: LogMethod = (...args) => this.#log('debug', args);
  readonly info: LogMethod = (...args) => this.#log('info', args);
  readonly warn: LogMethod = (...args) => this.#log('warn', args);
  readonly error: LogMethod = (...args) => this.#log('error', args);

  /** A logger that fails must not fail what it reports about. */
  #log(level: keyof Logger, args: Parameters<LogMethod>): void {
    const { track } = unhandledRejections.tracking;
    const log = (): MaybePromise<void> => this.#target[level](...args);
    void recovered(track ? () => track(LOGGING, log) : log, (error) => {
      if (this.#target === consoleLogger) return;
      consoleLogger.error({ err: error }, 'the logger failed');
      consoleLogger[level](...args);
    });
  }
}
