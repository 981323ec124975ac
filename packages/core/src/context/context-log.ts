import type { Call } from './call.js';

/** Sends log messages to the client, one method a severity of RFC 5424. Anything JSON can carry may be logged. */
export class ContextLog {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** @param logger names the part of the server that speaks. */
  debug(data: unknown, logger?: string): void {
    this.#call.log('debug', data, logger);
  }

  info(data: unknown, logger?: string): void {
    this.#call.log('info', data, logger);
  }

  notice(data: unknown, logger?: string): void {
    this.#call.log('notice', data, logger);
  }

  warning(data: unknown, logger?: string): void {
    this.#call.log('warning', data, logger);
  }

  error(data: unknown, logger?: string): void {
    this.#call.log('error', data, logger);
  }

  critical(data: unknown, logger?: string): void {
    this.#call.log('critical', data, logger);
  }

  alert(data: unknown, logger?: string): void {
    this.#call.log('alert', data, logger);
  }

  emergency(data: unknown, logger?: string): void {
    this.#call.log('emergency', data, logger);
  }
}
