import { ERROR_CODES, type Logger } from '@sigil/core/transport';
import { refuse } from './answers.js';
import type { HttpExchange } from './http-exchange.js';

/** Serves an exchange so that whatever goes wrong is an answer and a line in the log, never an exception. */
export function guarded(http: HttpExchange, logger: Logger, serve: () => void): void {
  try {
    serve();
  } catch (error) {
    logger.error({ err: error }, 'an HTTP request could not be served');
    refuse(http, 500, ERROR_CODES.internalError, 'Internal error');
  }
}
