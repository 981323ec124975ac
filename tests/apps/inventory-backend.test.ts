import { describe, expect, test } from '@jest/globals';
import { createApp } from '@sigil/core';
import { chooseBackend } from '../../apps/inventory/dist/choose-backend.js';

const STATE_KEY = 'a secret of the tests, long enough to be one';

describe('the store of the inventory', () => {
  test.each<[string, string | undefined, NodeJS.ProcessEnv]>([
    ['none', undefined, {}],
    ['none where the variable is empty', undefined, { BACKEND: '' }],
    ['a Redis', 'redis', { BACKEND: 'redis://127.0.0.1:6379' }],
    ['a cluster', 'redis', { REDIS_CLUSTER: 'redis://10.0.0.1:6379,redis://10.0.0.2:6379' }],
    ['Sentinels', 'redis', { REDIS_SENTINELS: 'redis://10.0.0.1:26379', REDIS_MASTER: 'main' }],
    ['a PostgreSQL', 'postgres', { BACKEND: 'postgres://db/shop' }],
    ['a PgBouncer', 'postgres', { BACKEND: 'postgres://pooler/shop', LISTEN_URL: 'postgres://db/shop' }],
  ])('is %s', async (_what, name, env) => {
    const { backend } = await chooseBackend([], { ...env, STATE_KEY });
    expect(typeof backend === 'function' ? backend({ name: 'inventory' }).name : undefined).toBe(name);
  });

  test.each<[string, RegExp, NodeJS.ProcessEnv]>([
    ['two stores', /^Set only one of/, { STATE_KEY, BACKEND: 'redis://db', REDIS_CLUSTER: 'redis://db' }],
    ['another kind of store', /not mysql:$/, { STATE_KEY, BACKEND: 'mysql://user:secret@db' }],
  ])('is refused with %s', async (_what, message, env) => {
    await expect(chooseBackend([], env)).rejects.toThrow(message);
  });

  test('is refused without a secret, by an error that names its variable', async () => {
    const shared = await chooseBackend([], { BACKEND: 'redis://db' });
    await expect(createApp({ name: 'inventory', version: '1.0.0', ...shared })).rejects.toThrow(
      'state: { keys: [process.env.STATE_KEY] }',
    );
  });
});
