import { ERROR_CODES } from './codes.js';

/**
 * Answers a request with a JSON-RPC error. Its code, message and data cross the wire as they are.
 * A handler throws it when the request itself is wrong; for a failure the model should read, throw `ToolError`.
 */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';

  /**
   * @param code a JSON-RPC 2.0 or MCP code, or one of your own outside -32768 … -32000.
   * @param message one sentence for the client's developer.
   * @param data anything JSON can carry that helps the client to recover.
   * @throws RangeError when the code is not an integer.
   */
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
    options?: ErrorOptions,
  ) {
    super(message, options);
    if (!Number.isSafeInteger(code))
      throw new RangeError(`the code of a ProtocolError must be an integer, not ${code}`);
  }
}

const BRAND = Symbol.for('sigil:protocol-error');
Object.defineProperty(ProtocolError.prototype, BRAND, { value: true });

/** Whether an error is a `ProtocolError`, of this copy of the package or another. Those of other libraries are not for clients. */
export function isProtocolError(error: unknown): error is ProtocolError {
  return typeof error === 'object' && error !== null && BRAND in error;
}

/** Refuses a request for want of room (-32603), wherever that is found out: HTTP answers it with 503, as one to repeat later. */
export class NoRoomError extends ProtocolError {
  constructor(message: string) {
    super(ERROR_CODES.internalError, message);
  }
}

/** The request's parameters are wrong (-32602). */
export function invalidParams(message: string, data?: unknown): ProtocolError {
  return new ProtocolError(ERROR_CODES.invalidParams, message, data);
}

/** The client has not declared an extension that the request needs (-32021). */
export function missingExtension(id: string): ProtocolError {
  const requiredCapabilities = { extensions: { [id]: {} } };
  const message = `The client has not declared the extension ${id}`;
  return new ProtocolError(ERROR_CODES.missingClientCapability, message, { requiredCapabilities });
}
