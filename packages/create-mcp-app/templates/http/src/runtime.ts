import { parseArgs } from 'node:util';
import type { Runtime } from '@sigil/core/transport';
import { http, tokenAuthenticator } from '@sigil/http';
import { stdio } from '@sigil/stdio';

const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

/**
 * Serves over HTTP, or over stdio with `--stdio` or `MCP_TRANSPORT=stdio`. `--port` and `--host`, or else `PORT` and `HOST`, say
 * where to listen; with `MCP_TOKEN` set, every request needs that token.
 *
 * @throws Error when an argument is wrong, or when others than this machine could call without a token.
 */
export function chooseRuntime(args: string[], env: NodeJS.ProcessEnv): Runtime {
  const { values } = parseArgs({
    args,
    options: {
      stdio: { type: 'boolean' },
      http: { type: 'boolean' },
      port: { type: 'string', default: env['PORT'] || '3000' },
      host: { type: 'string', default: env['HOST'] || '127.0.0.1' },
    },
  });
  if (values.stdio || (!values.http && env['MCP_TRANSPORT'] === 'stdio')) return stdio();

  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`'${values.port}' is no port`);
  const token = env['MCP_TOKEN'];
  if (!token && !LOOPBACK.includes(values.host))
    throw new Error(`Set MCP_TOKEN to a secret, or listen on 127.0.0.1: everybody could call ${values.host}`);

  return http({
    port,
    host: values.host,
    health: '/health',
    // Clients up to 2025-11-25 have sessions; newer ones need none.
    sessions: { idleMs: 10 * 60_000, max: 1_000 },
    authenticate: token ? tokenAuthenticator({ [token]: { id: 'owner' } }) : undefined,
  });
}
