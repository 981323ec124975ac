import { parseArgs } from 'node:util';
import type { Runtime } from '@sigil/core/transport';
import { http, type MetricsOptions } from '@sigil/http';
import { stdio } from '@sigil/stdio';

/**
 * Serves over stdio, or over HTTP to this machine with `--http` or `MCP_TRANSPORT=http`. `--port`, or else `PORT`, says where.
 *
 * @param metrics what serves metrics over HTTP.
 * @throws Error when an argument or a variable is wrong.
 */
export function chooseRuntime(args: string[], env: NodeJS.ProcessEnv, metrics: MetricsOptions): Runtime {
  const { values } = parseArgs({
    args,
    options: {
      stdio: { type: 'boolean' },
      http: { type: 'boolean' },
      port: { type: 'string', default: env['PORT'] || '3000' },
    },
  });
  if (values.stdio || !(values.http || env['MCP_TRANSPORT'] === 'http')) return stdio();
  return http({
    port: Number(values.port),
    health: '/health',
    ready: '/readyz',
    metrics,
    // `sigil top` shows what happens to who has this token; without one, nothing is shown.
    events: { token: env['SIGIL_EVENTS_TOKEN'] },
  });
}
