import { ProtocolError } from '../../errors/protocol-error.js';

/** An error with another code, when its own is in the table. */
export function replaceCodes(error: ProtocolError, table: ReadonlyMap<number, number>): ProtocolError {
  const code = table.get(error.code);
  return code === undefined ? error : new ProtocolError(code, error.message, error.data, { cause: error });
}
