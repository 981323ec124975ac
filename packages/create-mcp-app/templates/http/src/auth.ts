import type { Principal } from '@sigil/core';
import type { HttpOptions } from '@sigil/http';
import { tokenAuthenticator } from '@sigil/http/authentication';

const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

/** The user who started the server and calls it over stdio. */
export const owner: Principal = { id: 'owner' };

/**
 * The authentication over HTTP: with `MCP_TOKEN`, clients that send this token; without it, all programs of this
 * machine.
 *
 * @throws Error when others than this machine could call without a token.
 */
export function httpAuth(host: string, env: NodeJS.ProcessEnv): Pick<HttpOptions, 'authenticate'> {
  const token = env['MCP_TOKEN'];
  if (token) return { authenticate: tokenAuthenticator({ [token]: owner }) };
  if (LOOPBACK.includes(host)) return {};
  throw new Error(`Set MCP_TOKEN to a secret, or listen on 127.0.0.1: everybody could call ${host}`);
}
