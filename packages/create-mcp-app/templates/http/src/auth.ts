import type { Principal } from '@sigil/core';
import type { HttpOptions } from '@sigil/http';
import { tokenAuthenticator } from '@sigil/http/authentication';

const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

/** The principal over stdio: the user who started the server. */
export const owner: Principal = { id: 'owner' };

/**
 * Returns the options for authentication over HTTP. If `MCP_TOKEN` is set, clients must send this token. Otherwise, every
 * program on this machine can call the server.
 *
 * @throws Error if other machines could call the server without a token.
 */
export function httpAuth(host: string, env: NodeJS.ProcessEnv): Pick<HttpOptions, 'authenticate'> {
  const token = env['MCP_TOKEN'];
  if (token) return { authenticate: tokenAuthenticator({ [token]: owner }) };
  if (LOOPBACK.includes(host)) return {};
  throw new Error(
    `Set MCP_TOKEN to a secret, or listen on 127.0.0.1. Without a token, anyone could call ${host}`,
  );
}
