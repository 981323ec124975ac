import { ERROR_CODES, ProtocolError } from '@sigil/core';

/** Reads the URI a request is about. @throws ProtocolError (-32602) when there is none. */
export function readUri({ uri }: Readonly<Record<string, unknown>>): string {
  if (typeof uri === 'string') return uri;
  throw new ProtocolError(ERROR_CODES.invalidParams, '"uri" must be a string');
}

/** The error for a URI that nothing is served at, or nothing the caller may see (-32602). */
export function notServed(what: string, uri: string): ProtocolError {
  return new ProtocolError(ERROR_CODES.invalidParams, `There is no such ${what}`, { uri });
}
