import type { Logger, LogMethod } from '../protocol/logger.js';
import { consoleLogger } from './host.js';

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

  readonly debug: LogMethod = (...args) => this.#target.debug(...args);
  readonly info: LogMethod = (...args) => this.#target.info(...args);
  readonly warn: LogMethod = (...args) => this.#target.warn(...args);
  readonly error: LogMethod = (...args) => this.#target.error(...args);
}
