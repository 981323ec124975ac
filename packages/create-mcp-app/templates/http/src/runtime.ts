import { parseArgs } from 'node:util';
import type { Runtime } from '@sigil/core/transport';
import { http } from '@sigil/http';
import { stdio } from '@sigil/stdio';
import { httpAuth, owner } from './auth.js';

/**
 * Serves over HTTP, or over stdio with `--stdio` or `MCP_TRANSPORT=stdio`. `--port` and `--host`, or else `PORT` and `HOST`, say
 * where to listen; `auth.ts` says who may call.
 *
 * @throws Error when an argument or a variable is wrong.
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
  if (values.stdio || (!values.http && env['MCP_TRANSPORT'] === 'stdio')) return stdio({ principal: owner });

  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`'${values.port}' is no port`);
  return http({
    port,
    host: values.host,
    health: '/health',
    ready: '/readyz',
    // Clients up to 2025-11-25 have sessions; newer ones need none.
    sessions: { idleMs: 10 * 60_000, max: 1_000 },
    ...httpAuth(values.host, env),
  });
}
