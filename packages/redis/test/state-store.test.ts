import { expect, test } from '@jest/globals';
import type { App } from '@sigil/core';
import { describeUsedStates, PayingApps } from '../../../tests/contract/backend/used-states.js';
import { wait } from '../../../tests/contract/backend/waiting.js';
import { redis } from '../src/index.js';
import { describeWithRedis } from './fixtures/servers.js';

describeWithRedis('RedisStateStore', (redisForTests) => {
  const backend = () => redis({ url: redisForTests().server.url });
  describeUsedStates('Redis', backend);

  const apps = new PayingApps(backend);

  test('refuses what was used, and what was made, before Redis lost its data', async () => {
    const nodes = [await apps.node(), await apps.node()] as const;
    const [used, unused] = [await apps.asked(nodes[0]), await apps.asked(nodes[0])];
    expect(await apps.answered(nodes[1], used)).toBeUndefined();
    await wait(5);
    await redisForTests().connect().send('FLUSHALL');
    expect(await apps.answered(nodes[0], used)).toBe(-32602);
    expect(await apps.answered(nodes[1], used)).toBe(-32602);
    expect(await apps.answered(nodes[1], unused)).toBe(-32602);
    expect(apps.paid).toEqual(['shop']);
    await wait(5);
    expect(await apps.answered(nodes[1], await apps.asked(nodes[0]))).toBeUndefined();
    expect(apps.paid).toEqual(['shop', 'shop']);
  });

  test.each([
    ['the app is made', async () => undefined],
    [
      'Redis was asked whether it is ready',
      async (app: App) => {
        await redisForTests().connect().send('FLUSHALL');
        await app.endpoint.backend.check();
      },
    ],
  ])('takes states that are made after %s', async (_when, before) => {
    const app = await apps.node();
    await before(app);
    await wait(5);
    expect(await apps.answered(app, await apps.asked(app))).toBeUndefined();
  });
});
