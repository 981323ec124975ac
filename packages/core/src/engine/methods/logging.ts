import { invalidParams } from '../../errors/protocol-error.js';
import { isLogLevel, LOG_LEVELS } from '../../protocol/logging.js';
import { METHODS } from '../../protocol/protocol.js';
import { EMPTY, type MethodTable } from './table.js';

/** `logging/setLevel`, for the session it is sent in. */
export function loggingMethods(): MethodTable {
  return {
    [METHODS.setLevel]: ({ call }, params) => {
      const level = params['level'];
      if (!isLogLevel(level)) throw invalidParams(`"level" must be one of ${LOG_LEVELS.join(', ')}`);
      if (call.link.session) call.link.session.logLevel = level;
      return EMPTY;
    },
  };
}
