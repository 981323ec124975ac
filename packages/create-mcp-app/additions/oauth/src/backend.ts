import type { AppOptions } from '@sigil/core';

/**
 * Returns the options for state that several processes share. If `REDIS_URL` is set, sessions, tasks and changes are in
 * that Redis. Otherwise, run only one process.
 *
 * @throws Error if `REDIS_URL` is set without the secret that all processes share.
 */
export async function chooseBackend(env: NodeJS.ProcessEnv): Promise<Pick<AppOptions, 'backend' | 'state'>> {
  const { REDIS_URL: url, STATE_KEY: key } = env;
  if (!url) return {};
  if (!key)
    throw new Error(
      'Set STATE_KEY to the same secret in all processes. Create it once with: openssl rand -base64 32',
    );
  const { redis } = await import('@sigil/redis');
  return { backend: redis({ url }), state: { keys: [key] } };
}
