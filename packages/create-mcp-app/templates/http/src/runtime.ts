import type { RunOptions } from '@sigil/core';
import type { HttpRuntimeOptions, MetricsOptions } from '@sigil/http';
import { httpAuth, owner } from './auth.js';

/**
 * How the server is reached: over HTTP, or over stdio with `--stdio` or `MCP_TRANSPORT=stdio`. `--port` and `--host`,
 * or else `PORT` and `HOST`, set the address. The token `SIGIL_EVENTS_TOKEN` lets `sigil top` show the calls.
 *
 * @param metrics the handler of metrics: for programs on this machine, and for others with the token `METRICS_TOKEN`.
 */
export function runOptions(env: NodeJS.ProcessEnv, metrics?: MetricsOptions): RunOptions {
  return {
    transport: 'http',
    http: ({ host = '127.0.0.1' }) => httpOptions(host, env, metrics),
    stdio: { principal: owner },
  };
}

/** The options of the HTTP transport; `auth.ts` has the authentication. @throws Error if a variable is wrong. */
export function httpOptions(
  host: string,
  env: NodeJS.ProcessEnv,
  metrics?: MetricsOptions,
): HttpRuntimeOptions {
  return {
    // Clients up to 2025-11-25 have sessions; newer ones need none.
    sessions: { idleMs: 10 * 60_000, max: 1_000 },
    ...(metrics && measured(metrics, host, env['METRICS_TOKEN'])),
    ...httpAuth(host, env),
  };
}

/** If other machines can reach the server, metrics need a token. */
function measured(
  metrics: MetricsOptions,
  host: string,
  token?: string,
): Pick<HttpRuntimeOptions, 'metrics'> {
  if (token) return { metrics: { ...metrics, token } };
  return ['127.0.0.1', '::1', 'localhost'].includes(host) ? { metrics } : {};
}
