import { parseArgs } from 'node:util';
import type { Runtime } from '@sigil/core/transport';
import { http, type HttpRuntimeOptions, type MetricsOptions } from '@sigil/http';
import { stdio } from '@sigil/stdio';
import { httpAuth, owner } from './auth.js';

/**
 * Serves over HTTP, or over stdio with `--stdio` or `MCP_TRANSPORT=stdio`. `--port` and `--host`, or else `PORT` and `HOST`, say
 * where to listen; `auth.ts` says who may call.
 *
 * @param metrics what serves metrics: to programs on this machine, and to others with the token `METRICS_TOKEN`.
 * @throws Error when an argument or a variable is wrong.
 */
export function chooseRuntime(args: string[], env: NodeJS.ProcessEnv, metrics?: MetricsOptions): Runtime {
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
    // `sigil top` shows what happens to who has this token; without one, nothing is shown.
    events: { token: env['SIGIL_EVENTS_TOKEN'] },
    ...(metrics && measured(metrics, values.host, env['METRICS_TOKEN'])),
    ...httpAuth(values.host, env),
  });
}

/** Where others than this machine reach the server, metrics need a token. */
function measured(
  metrics: MetricsOptions,
  host: string,
  token?: string,
): Pick<HttpRuntimeOptions, 'metrics'> {
  if (token) return { metrics: { ...metrics, token } };
  return ['127.0.0.1', '::1', 'localhost'].includes(host) ? { metrics } : {};
}
