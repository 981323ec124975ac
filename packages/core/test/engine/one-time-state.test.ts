import { describe, expect, test } from '@jest/globals';
import { type App, type AppOptions, defineTool, ProtocolError, Tool, ToolContext } from '../../src/index.js';
import { MemoryStateStore, type StateStore, type StateUse } from '../../src/backend.js';
import { appOf, type Client, type Json, recordingLogger, statelessClient, textOf } from '../harness.js';
import { SlowStateStore } from '../fixtures/slow-state-store.js';

const KEY = 'a secret of at least thirty-two characters';
const ACCEPT = { action: 'accept', content: {} };
const FORM = { type: 'object', properties: {} };

/** Hands out one voucher a call; counts how often it is run. */
class Vouchers {
  runs = 0;

  @Tool()
  async redeem(context: ToolContext) {
    this.runs++;
    await context.elicit('Redeem it?', FORM);
    await context.elicit('Really?', FORM);
    return `run ${this.runs}`;
  }
}

function serve(options: Partial<AppOptions> = {}): Promise<App> {
  return appOf({ services: [Vouchers], state: { keys: [KEY] }, ...options });
}

const client = (app: App): Client => statelessClient(app, { elicitation: {} });
const first = async (app: App): Promise<unknown> =>
  (await client(app).result('tools/call', { name: 'redeem' }))['requestState'];
const retry = (requestState: unknown, key = 'question-1'): Json => ({
  name: 'redeem',
  requestState,
  inputResponses: { [key]: ACCEPT },
});

describe('a state that is accepted once', () => {
  test.each<[string, () => StateStore]>([
    ['at hand', () => new MemoryStateStore()],
    ['slow', () => new SlowStateStore()],
  ])(
    'is refused the second time, before the handler, with a store that is %s [checklist 43]',
    async (_how, store) => {
      const app = await serve({ state: { store: store() } });
      const state = await first(app);
      const second = await client(app).result('tools/call', retry(state));
      expect(second['resultType']).toBe('input_required');
      expect(await client(app).error('tools/call', retry(state))).toEqual({
        code: -32602,
        message: '"requestState" is refused: it has been used already',
        data: { reason: 'invalid_request_state' },
      });
      const last = await client(app).result('tools/call', retry(second['requestState'], 'question-2'));
      expect(textOf(last)).toBe('run 3');
    },
  );

  test('is accepted by one alone of 40 requests at the same time, in several processes that share keys and store [checklist 58]', async () => {
    const store = new SlowStateStore();
    const apps = await Promise.all([1, 2, 3, 4].map(() => serve({ state: { keys: [KEY], store } })));
    const state = await first(apps[0] as App);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => apps)
        .flat()
        .map((app) => client(app).request('tools/call', retry(state))),
    );
    expect(answers.filter(({ result }) => result)).toHaveLength(1);
    expect(answers.map(({ error }) => error?.code).filter(Boolean)).toEqual(Array(39).fill(-32602));
  });

  test('is refused by a process whose store has begun to remember since then: it may have been used before', async () => {
    const before = await serve();
    const state = await first(before);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const after = await serve();
    expect((await client(after).error('tools/call', retry(state))).message).toBe(
      '"requestState" is refused: it is so old that this server no longer knows whether it was used before',
    );
    expect(await client(after).result('tools/call', retry(await first(after)))).toMatchObject({
      resultType: 'input_required',
    });
  });

  test('is not used up by a request that is refused for another reason', async () => {
    const app = await serve({ state: { store: new MemoryStateStore() } });
    const state = await first(app);
    for (const wrong of [
      { arguments: { other: 1 } },
      { inputResponses: 'none' },
      { requestState: `${String(state)}A` },
    ])
      expect((await client(app).error('tools/call', { ...retry(state), ...wrong })).code).toBe(-32602);
    expect(await client(app).result('tools/call', retry(state))).toMatchObject({
      resultType: 'input_required',
    });
  });

  test.each<[string, () => StateStore]>([
    ['at hand', () => new MemoryStateStore()],
    ['slow', () => new SlowStateStore()],
  ])('is not used up by a call that lacks scopes, or that a guard refuses: %s', async (_how, store) => {
    let runs = 0;
    let isOpen = true;
    const handle = async (_args: unknown, context: ToolContext): Promise<string> => {
      await context.elicit('Really?', FORM);
      runs += 1;
      return 'done';
    };
    const guards = [() => isOpen];
    const wipe = defineTool({ name: 'wipe', scopes: ['files:wipe'], guards, handle });
    const app = await appOf({ definitions: [wipe], state: { keys: [KEY], store: store() } });
    const ada = (...scopes: string[]): Client =>
      statelessClient(app, { elicitation: {} }, { requestInfo: { principal: { id: 'ada', scopes } } });
    const { requestState } = await ada('files:wipe').result('tools/call', { name: 'wipe' });
    const again = { ...retry(requestState), name: 'wipe' };
    expect((await ada().error('tools/call', again)).code).toBe(403);
    isOpen = false;
    expect((await ada('files:wipe').error('tools/call', again)).message).toBe('Unknown tool: wipe');
    isOpen = true;
    const both = await Promise.all([1, 2, 3].map(async () => ada('files:wipe').request('tools/call', again)));
    expect(both.map(({ error }) => error?.code ?? 'served').sort()).toEqual([-32602, -32602, 'served']);
    expect(runs).toBe(1);
  });

  test('must have been made by a process that accepts states once', async () => {
    const state = await first(await serve({ state: { store: false } }));
    const app = await serve({ state: { store: new MemoryStateStore() } });
    expect((await client(app).error('tools/call', retry(state))).code).toBe(-32602);
  });

  test('is told to the store by an id of its own, for as long as any process may take it', async () => {
    const used: [string, number][] = [];
    const use: StateStore['use'] = (id, forMs) => (used.push([id, forMs]), 'first');
    const stateStore = { use };
    const app = await serve({ state: { store: stateStore, ttlMs: 1000 } });
    const states = [await first(app), await first(app)];
    for (const state of states) await client(app).result('tools/call', retry(state));
    const ids = used.map(([id]) => id);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(states.join()).not.toContain(id);
    // Five minutes more than its time, as the clocks of processes differ.
    for (const [, forMs] of used) expect(Math.abs(forMs - 300_500)).toBeLessThanOrEqual(500);
  });

  test.each<[string, StateStore]>([
    [
      'throws',
      {
        use: () => {
          throw new Error('the store is gone');
        },
      },
    ],
    ['rejects', { use: () => Promise.reject(new ProtocolError(-32602, 'the store is gone')) }],
  ])('fails closed and is logged when the store %s', async (_how, stateStore) => {
    const logger = recordingLogger();
    const app = await serve({ state: { store: stateStore }, logger });
    const { code, message } = await client(app).error('tools/call', retry(await first(app)));
    expect([code, message]).toEqual([-32603, '"requestState" cannot be checked now; try again later']);
    expect(logger.lines).toMatchObject([{ level: 'warn', details: { method: 'tools/call' } }]);
    expect(String(logger.lines[0]?.details['err'])).toContain('the store is gone');
  });

  test('is refused for want of room when the store is full, which the log says', async () => {
    const logger = recordingLogger();
    const app = await serve({ state: { store: fullStore() }, logger });
    const { code, message } = await client(app).error('tools/call', retry(await first(app)));
    expect([code, message]).toEqual([-32603, 'More than 1 states are in use, or more than 1 for one client']);
    expect(logger.lines).toMatchObject([
      {
        level: 'warn',
        message: 'requests are refused for now',
        details: { reason: message, method: 'tools/call', requestId: expect.anything() },
      },
    ]);
  });

  test('is refused when the store does not say that it is new', async () => {
    const stateStore = { use: () => undefined as unknown as StateUse };
    const app = await serve({ state: { store: stateStore } });
    expect((await client(app).error('tools/call', retry(await first(app)))).code).toBe(-32602);
  });

  test('leaves a line in the log when it is refused, with whose request it was', async () => {
    const logger = recordingLogger();
    const app = await serve({ logger });
    const requestInfo = { principal: { id: 'ann' } };
    const eve = statelessClient(app, { elicitation: {} }, { requestInfo });
    expect(await eve.request('tools/call', retry(await first(app)), 'a')).toHaveProperty(
      'error.code',
      -32602,
    );
    expect(logger.lines).toEqual([
      {
        level: 'info',
        message: 'a request state was refused',
        details: {
          reason: '"requestState" is refused: it belongs to another principal',
          id: expect.any(String),
          requestId: 'a',
          method: 'tools/call',
          principal: 'ann',
          client: 'tester 0',
        },
      },
    ]);
  });

  test('is accepted once where nothing is said [checklist 58]', async () => {
    const app = await serve();
    const state = await first(app);
    await client(app).result('tools/call', retry(state));
    expect((await client(app).error('tools/call', retry(state))).code).toBe(-32602);
  });

  test('is accepted again and again when the app says so', async () => {
    const app = await serve({ state: { store: false } });
    const state = await first(app);
    for (let turn = 0; turn < 2; turn++)
      expect((await client(app).result('tools/call', retry(state)))['resultType']).toBe('input_required');
  });
});

function fullStore(): StateStore {
  const store = new MemoryStateStore({ maxStates: 1 });
  store.use('the only one', Date.now() + 60_000);
  return store;
}

test('the consent to one app is refused by another one with the same keys, before its handler', async () => {
  const state = { keys: [KEY], store: new MemoryStateStore() };
  const [shop, bank] = [new Vouchers(), new Vouchers()];
  const asked = await appOf({ name: 'shop', state, definitions: [voucherOf(shop)] });
  const other = await appOf({ name: 'bank', state, definitions: [voucherOf(bank)] });
  const requestState = await first(asked);
  expect(await client(other).error('tools/call', retry(requestState))).toEqual({
    code: -32602,
    message: '"requestState" is refused: it is not a request state of this server',
    data: { reason: 'invalid_request_state' },
  });
  expect(bank.runs).toBe(0);
  expect((await client(asked).result('tools/call', retry(requestState)))['resultType']).toBe(
    'input_required',
  );
});

/** A tool of which each app has its own. */
function voucherOf(vouchers: Vouchers): ReturnType<typeof defineTool> {
  return defineTool({ name: 'redeem', handle: (_args: unknown, context) => vouchers.redeem(context) });
}

describe('the states of one client', () => {
  test('leave room for those of others', async () => {
    const app = await serve({ state: { store: new MemoryStateStore({ maxStatesPerClient: 1 }) } });
    const of = (quotaKey: string): Client =>
      statelessClient(app, { elicitation: {} }, { requestInfo: { quotaKey } });
    const round = async (who: Client) => {
      const { requestState } = await who.result('tools/call', { name: 'redeem' });
      return (await who.request('tools/call', retry(requestState))).error?.code;
    };
    const [busy, calm] = [of('address 192.0.2.1'), of('address 192.0.2.2')];
    expect([await round(busy), await round(busy), await round(calm)]).toEqual([undefined, -32603, undefined]);
  });
});
