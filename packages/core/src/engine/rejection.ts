import type { ProtocolError } from '../errors/protocol-error.js';
import { errorResponse, type RequestId } from '../protocol/json-rpc.js';
import type { Outlet } from '../transport/contract.js';

/** Answers a message that is refused before any handler sees it. */
export function reject(outlet: Outlet, id: RequestId | null, error: ProtocolError): undefined {
  const { code, message, data } = error;
  outlet.end(errorResponse(id, { code, message, ...(data === undefined ? {} : { data }) }), code);
  return undefined;
}
