import type { AppOptions } from '@sigil/core';

/**
 * Returns the shared state of several processes: with `REDIS_URL`, sessions, tasks and changes are kept in
 * that Redis. Without it, a single process serves all clients.
 *
 * @throws Error if `REDIS_URL` is set without the secret that all processes share.
 */
export async function chooseBackend(env: NodeJS.ProcessEnv): Promise<Pick<AppOptions, 'backend' | 'state'>> {
  const { REDIS_URL: url, STATE_KEY: key } = env;
  if (!url) return {};
  if (!key) throw new Error('Set STATE_KEY to a secret that all processes have: openssl rand -base64 32');
  const { redis } = await import('@sigil/redis');
  return { backend: redis({ url }), state: { keys: [key] } };
}
