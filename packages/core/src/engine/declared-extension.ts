import type { Call } from '../context/call.js';
import { ERROR_CODES } from '../errors/codes.js';
import { ProtocolError } from '../errors/protocol-error.js';

/** Whether the client has declared an extension. */
export function declares({ client }: Pick<Call, 'client'>, id: string): boolean {
  return client.capabilities.extensions?.[id] !== undefined;
}

/** The error for a request that needs an extension its client has not declared. */
export function undeclared(id: string): ProtocolError {
  const requiredCapabilities = { extensions: { [id]: {} } };
  const message = `The client has not declared the extension ${id}`;
  return new ProtocolError(ERROR_CODES.missingClientCapability, message, { requiredCapabilities });
}
