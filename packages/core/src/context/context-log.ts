import type { Call } from './call.js';

/** Sends log messages to the client, one method a severity of RFC 5424. Anything JSON can carry may be logged. */
export class ContextLog {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Logs what helps to find a fault.
   *
   * @param data anything JSON can carry.
   * @param logger names the part of the server that speaks.
   */
  debug(data: unknown, logger?: string): void {
    this.#call.log('debug', data, logger);
  }

  /**
   * Logs what went as it should.
   *
   * @param data anything JSON can carry.
   * @param logger names the part of the server that speaks.
   */
  info(data: unknown, logger?: string): void {
    this.#call.log('info', data, logger);
  }

  /**
   * Logs what is normal, and worth a look.
   *
   * @param data anything JSON can carry.
   * @param logger names the part of the server that speaks.
   */
  notice(data: unknown, logger?: string): void {
    this.#call.log('notice', data, logger);
  }

  /**
   * Logs what may become a fault.
   *
   * @param data anything JSON can carry.
   * @param logger names the part of the server that speaks.
   */
  warning(data: unknown, logger?: string): void {
    this.#call.log('warning', data, logger);
  }

  /**
   * Logs what failed.
   *
   * @param data anything JSON can carry.
   * @param logger names the part of the server that speaks.
   */
  error(data: unknown, logger?: string): void {
    this.#call.log('error', data, logger);
  }

  /**
   * Logs what failed and takes more with it.
   *
   * @param data anything JSON can carry.
   * @param logger names the part of the server that speaks.
   */
  critical(data: unknown, logger?: string): void {
    this.#call.log('critical', data, logger);
  }

  /**
   * Logs what has to be mended at once.
   *
   * @param data anything JSON can carry.
   * @param logger names the part of the server that speaks.
   */
  alert(data: unknown, logger?: string): void {
    this.#call.log('alert', data, logger);
  }

  /**
   * Logs that the server is of no use.
   *
   * @param data anything JSON can carry.
   * @param logger names the part of the server that speaks.
   */
  emergency(data: unknown, logger?: string): void {
    this.#call.log('emergency', data, logger);
  }
}
