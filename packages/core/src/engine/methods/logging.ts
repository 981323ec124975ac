import { invalidParams } from '../../errors/protocol-error.js';
import { isLogLevel, LOG_LEVELS } from '../../protocol/logging.js';
import { METHODS } from '../../protocol/methods.js';
import type { MethodTable } from './table.js';

/** `logging/setLevel`, for the session it is sent in. */
export function loggingMethods(): MethodTable {
  return {
    [METHODS.setLevel]: (exchange, params) => {
      const level = params['level'];
      if (!isLogLevel(level)) throw invalidParams(`"level" must be one of ${LOG_LEVELS.join(', ')}`);
      if (exchange.link.session) exchange.link.session.logLevel = level;
      return '{}';
    },
  };
}
