import { parseArgs } from 'node:util';
import type { AppOptions } from '@sigil/core';

/** What of the options of an app says what it shares with other processes. */
type Shared = Pick<AppOptions, 'backend' | 'state'>;

/**
 * Chooses the backend that all processes of this app share. Its URL (`redis://…` or `postgres://…`) comes from the
 * option `--backend`, or from one of the variables `BACKEND`, `REDIS_CLUSTER` and `REDIS_SENTINELS`. If a backend is
 * set, all processes need the same secret in `STATE_KEY`.
 *
 * @returns the options for `createApp`; an empty object if no backend is set.
 * @throws Error when the URL has another scheme, or when more than one of the variables is set.
 */
export async function chooseBackend(args: string[], env: NodeJS.ProcessEnv): Promise<Shared> {
  const { values } = parseArgs({ args, strict: false, options: { backend: { type: 'string' } } });
  const url = typeof values.backend === 'string' ? values.backend : env['BACKEND'];
  const { REDIS_CLUSTER: cluster, REDIS_SENTINELS: sentinels } = env;
  const places = [url, cluster, sentinels].filter((place) => place !== undefined && place !== '');
  const [place] = places;
  if (place === undefined) return {};
  if (places.length > 1) throw new Error('Set only one of BACKEND, REDIS_CLUSTER and REDIS_SENTINELS');
  // `createApp` refuses to serve without it; who only lists tasks may not have it.
  const state = { keys: [env['STATE_KEY'] ?? ''] };
  if (/^rediss?:/.test(place)) {
    const { redis } = await import('@sigil/redis');
    const nodes = place.split(',');
    if (cluster) return { state, backend: redis({ cluster: { nodes } }) };
    const name = env['REDIS_MASTER'] ?? 'mymaster';
    return { state, backend: redis(sentinels ? { sentinel: { name, nodes } } : { url: place }) };
  }
  if (/^postgres(ql)?:/.test(place)) {
    const { postgres } = await import('@sigil/postgres');
    return { state, backend: postgres({ url: place, listenUrl: env['LISTEN_URL'] ?? place }) };
  }
  // The rest of it may have a password.
  const [scheme] = /^[a-z][a-z0-9+.-]*:/i.exec(place) ?? ['something else'];
  throw new Error(`--backend must be a URL of redis: or postgres:, not ${scheme}`);
}
