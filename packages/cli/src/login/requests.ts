import {
  allowInsecureRequests,
  AuthorizationResponseError,
  customFetch,
  ResponseBodyError,
} from 'oauth4webapi';
import { messageOf } from '@sigil/core/internal';
import { causeOf, ServerError } from '../failures.js';

/** Maximum length of an answer to a request during a login, in bytes. */
const MOST_BYTES = 1024 * 1024;
const TIMEOUT_MS = 10_000;

/**
 * Checks that a login is allowed to use an address. The address must use https; http is allowed only if the
 * address and the server are both on this machine.
 *
 * @param what the purpose of the address for the error message, such as `the authorization server`.
 */
export function checkAddress(address: string, server: URL, what: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === 'https:') return url;
  if (url?.protocol === 'http:' && isLoopback(url) && isLoopback(server)) return url;
  throw new ServerError(
    `${what} is ${address}: it must use https; http is only allowed if this URL and the MCP server are both on this machine`,
  );
}

function isLoopback({ hostname }: URL): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/**
 * Sends a request that a login needs. Redirects are not followed. The complete answer must arrive within 10 seconds,
 * and have at most 1 MiB.
 *
 * @param server the MCP server that the login is for.
 */
export async function fetchFor(server: URL, address: string, init: RequestInit = {}): Promise<Response> {
  const url = checkAddress(address, server, 'an address of the login');
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, { ...init, redirect: 'manual', signal }).catch((error: unknown) => {
    throw new ServerError(`${url.href} does not answer: ${messageOf(causeOf(error))}`);
  });
  const parts: Uint8Array[] = [];
  let left = MOST_BYTES;
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
  for (let read = await reader?.read(); read?.value; read = await reader?.read()) {
    left -= read.value.byteLength;
    if (left < 0) throw new ServerError(`${url.href} answers with more than ${MOST_BYTES} bytes`);
    parts.push(read.value);
  }
  const { status, statusText, headers } = response;
  const body = parts.length === 0 ? null : Buffer.concat(parts);
  return new Response(body, { status, statusText, headers });
}

/** Returns options that make `oauth4webapi` use `fetchFor`, which decides whether http is allowed. */
export function fetchOptions(server: URL): {
  [customFetch]: (url: string, init: object) => Promise<Response>;
  [allowInsecureRequests]: true;
} {
  return {
    [customFetch]: (url, init) => fetchFor(server, url, init),
    [allowInsecureRequests]: true,
  };
}

/** Converts an error during a login to an error with a message for people. @param issuer the authorization server. */
export function loginError(error: unknown, issuer: string): ServerError {
  if (error instanceof ServerError) return error;
  if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) {
    const why = error.error_description === undefined ? '' : `: ${error.error_description}`;
    return new ServerError(`the authorization server ${issuer} says ${error.error}${why}`);
  }
  return new ServerError(`the login at ${issuer} failed: ${messageOf(error)}`);
}
