import type { RunOptions } from '@sigil/core';
import type { HttpRuntimeOptions, MetricsOptions } from '@sigil/http';
import { httpAuth, owner } from './auth.js';

/**
 * Returns the options of the transport. The server serves HTTP, or stdio with `--stdio` or `MCP_TRANSPORT=stdio`. `--port`
 * and `--host`, or the variables `PORT` and `HOST`, set the address. With the token `SIGIL_EVENTS_TOKEN`, `sigil top` can
 * show the calls.
 *
 * @param metrics the metrics to serve. With `METRICS_TOKEN`, requests for them need this token.
 */
export function runOptions(env: NodeJS.ProcessEnv, metrics?: MetricsOptions): RunOptions {
  return {
    transport: 'http',
    http: ({ host = '127.0.0.1' }) => httpOptions(host, env, metrics),
    stdio: { principal: owner },
  };
}

/** Returns the options of the HTTP transport. @throws Error if a variable is wrong. */
export function httpOptions(
  host: string,
  env: NodeJS.ProcessEnv,
  metrics?: MetricsOptions,
): HttpRuntimeOptions {
  return {
    // Clients up to revision 2025-11-25 use sessions. Newer clients do not.
    sessions: { idleMs: 10 * 60_000, max: 1_000 },
    ...(metrics && measured(metrics, host, env['METRICS_TOKEN'])),
    ...httpAuth(host, env),
  };
}

/** Leaves out the metrics if other machines could read them without a token. */
function measured(
  metrics: MetricsOptions,
  host: string,
  token?: string,
): Pick<HttpRuntimeOptions, 'metrics'> {
  if (token) return { metrics: { ...metrics, token } };
  return ['127.0.0.1', '::1', 'localhost'].includes(host) ? { metrics } : {};
}
