import { afterEach, describe, expect, test } from '@jest/globals';
import { type App, createApp, defineTool } from '@sigil/core';
import { wait } from '../../../tests/contract/backend/waiting.js';
import { type Client, statelessClient } from '../../core/test/harness.js';
import { redis } from '../src/index.js';
import { describeWithRedis } from './fixtures/servers.js';

const FORM = { type: 'object', properties: {} };

describeWithRedis('a state that was used', (redisForTests) => {
  const apps: App[] = [];
  afterEach(async () => {
    for (const app of apps.splice(0)) await app.close();
  });

  /** A node of an app that asks before it does something. */
  async function node(done: string[]): Promise<App> {
    const pay = defineTool({
      name: 'pay',
      handle: async (_args, context) => {
        await context.elicit('Pay?', FORM);
        done.push('paid');
        return 'paid';
      },
    });
    const app = await createApp({
      name: 'shop',
      version: '1.0.0',
      definitions: [pay],
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      state: { keys: ['k'.repeat(32)] },
      backend: redis({ url: redisForTests().server.url }),
    });
    apps.push(app);
    return app;
  }

  const client = (app: App): Client => statelessClient(app, { elicitation: {} });
  const asked = async (app: App): Promise<unknown> =>
    (await client(app).result('tools/call', { name: 'pay' }))['requestState'];
  const answered = async (app: App, requestState: unknown): Promise<number | undefined> => {
    const inputResponses = { 'question-1': { action: 'accept', content: {} } };
    const call = { name: 'pay', requestState, inputResponses };
    return (await client(app).request('tools/call', call)).error?.code;
  };

  test('is refused a second time, when Redis has lost its data in between', async () => {
    const done: string[] = [];
    const nodes = [await node(done), await node(done)] as const;
    const [used, unused] = [await asked(nodes[0]), await asked(nodes[0])];
    expect(await answered(nodes[1], used)).toBeUndefined();
    await wait(5);
    await redisForTests().connect().send('FLUSHALL');
    expect(await answered(nodes[0], used)).toBe(-32602);
    expect(await answered(nodes[1], used)).toBe(-32602);
    expect(await answered(nodes[1], unused)).toBe(-32602);
    expect(done).toEqual(['paid']);
    await wait(5);
    expect(await answered(nodes[1], await asked(nodes[0]))).toBeUndefined();
    expect(done).toEqual(['paid', 'paid']);
  });

  test('is refused by all but one of 40 at the same time', async () => {
    const done: string[] = [];
    const nodes = [await node(done), await node(done)];
    const state = await asked(nodes[0] as App);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => nodes)
        .flat()
        .map((app) => answered(app, state)),
    );
    expect(outcomes.filter((code) => code === undefined)).toHaveLength(1);
    expect(outcomes.filter((code) => code === -32602)).toHaveLength(39);
    expect(done).toEqual(['paid']);
  });

  describe('is remembered', () => {
    test.each([
      ['after the app is made', async () => undefined],
      [
        'after Redis was asked whether it is ready',
        async (app: App) => {
          await redisForTests().connect().send('FLUSHALL');
          await app.endpoint.backend.check();
        },
      ],
    ])('%s, so that states are taken that are made then', async (_when, before) => {
      const app = await node([]);
      await before(app);
      await wait(5);
      expect(await answered(app, await asked(app))).toBeUndefined();
    });
  });
});
