import { createHash, createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import {
  type App,
  type AuditOptions,
  type AuditRecord,
  defineResource,
  defineTool,
  ToolError,
} from '../../src/index.js';
import { auditHash } from '../../src/internal.js';
import { canonicalJson } from '../../src/protocol/json.js';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { appOf, definitionError, openSession, recordingLogger, statelessClient, until } from '../harness.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const KEY = 'a key of at least thirty-two characters';

let runs = 0;
const pay = defineTool({
  name: 'pay',
  input: { type: 'object', properties: { amount: { type: 'number' }, card: { type: 'string' } } },
  handle: ({ amount }) => {
    runs += 1;
    if (Number(amount) > 100) throw new ToolError('too much');
    return 'paid';
  },
});
const hidden = defineTool({ name: 'hidden', guards: [() => false], handle: () => 'never' });
const scoped = defineTool({ name: 'scoped', scopes: ['pay'], handle: () => 'never' });
const lamp = defineResource({ uri: 'desk://lamp', name: 'lamp', handle: () => 'on' });

interface Audited {
  readonly app: App;
  readonly records: AuditRecord[];
}

async function audited(options: Partial<AuditOptions> = {}): Promise<Audited> {
  const records: AuditRecord[] = [];
  const sink = (record: AuditRecord): void => void records.push(record);
  const definitions = [pay, hidden, scoped, lamp];
  const app = await appOf({ definitions, audit: { sink, ...options } });
  return { app, records };
}

async function callAs(app: App, name: string, args: Record<string, unknown> = {}): Promise<unknown> {
  const requestInfo = { principal: { id: 'ada' }, address: '192.0.2.7', headers: { 'x-request-id': 'r1' } };
  const client = statelessClient(app, {}, { requestInfo });
  return client.request('tools/call', { name, arguments: args }, 7);
}

describe('the audit of an app', () => {
  test('has one record a call: who did what, whether it was allowed, and how it ended', async () => {
    const { app, records } = await audited();
    await callAs(app, 'pay', { card: '4242', amount: 5 });
    await app.close();
    expect(records).toEqual([
      {
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        event: 'call.ended',
        decision: 'allowed',
        id: 'r1',
        requestId: 7,
        method: 'tools/call',
        name: 'pay',
        principal: 'ada',
        client: 'tester 0',
        protocolVersion: '2026-07-28',
        transport: 'memory',
        address: '192.0.2.7',
        argumentsHash: createHash('sha256').update('{"amount":5,"card":"4242"}').digest('base64url'),
        outcome: 'ok',
        ms: expect.any(Number),
        bytes: expect.any(Number),
      },
    ]);
  });

  test.each([
    ['hidden', 'denied', 'guard', 'refused'],
    ['scoped', 'denied', 'scope', 'refused'],
    ['nope', 'denied', 'name', 'refused'],
    ['pay', 'allowed', undefined, 'ok'],
  ])('says of the tool %s that it was %s by %s', async (name, decision, refusedBy, outcome) => {
    const { app, records } = await audited();
    await callAs(app, name);
    await app.close();
    expect(records).toMatchObject([{ decision, outcome }]);
    expect(records[0]?.refusedBy).toBe(refusedBy);
  });

  test('has reads, and no lists or discovery', async () => {
    const { app, records } = await audited();
    const client = statelessClient(app);
    await client.request('tools/list');
    await client.request('server/discover');
    await client.request('resources/read', { uri: 'desk://lamp' });
    await app.close();
    expect(records.map(({ method, name }) => [method, name])).toEqual([['resources/read', 'desk://lamp']]);
  });

  test('has what its author includes alone', async () => {
    const { app, records } = await audited({ includes: ({ method }) => method === 'tools/list' });
    await callAs(app, 'pay');
    await statelessClient(app).request('tools/list');
    await app.close();
    expect(records.map(({ method }) => method)).toEqual(['tools/list']);
  });

  test('shows of arguments what its author lets it', async () => {
    const none = await audited({ arguments: 'none' });
    await callAs(none.app, 'pay', { amount: 5 });
    await none.app.close();
    expect(Object.keys(none.records[0] ?? {})).not.toEqual(
      expect.arrayContaining([expect.stringContaining('rguments')]),
    );
    const own = await audited({ arguments: (args) => ({ amount: (args as { amount: number }).amount }) });
    await callAs(own.app, 'pay', { amount: 5, card: '4242' });
    await own.app.close();
    expect(own.records[0]?.arguments).toEqual({ amount: 5 });
    expect(JSON.stringify(own.records)).not.toContain('4242');
  });

  test('has what the transport refuses', async () => {
    const { app, records } = await audited();
    app.endpoint.refused?.({
      by: 'token',
      id: 'r9',
      reason: 'expired',
      status: 401,
      httpMethod: 'POST',
      path: '/mcp',
      address: '192.0.2.9',
      principal: undefined,
    });
    await app.close();
    expect(records).toMatchObject([
      {
        event: 'request.refused',
        decision: 'denied',
        refusedBy: 'token',
        reason: 'expired',
        id: 'r9',
        path: '/mcp',
        address: '192.0.2.9',
      },
    ]);
  });

  test('whose sink fails is told to the log, and changes nothing', async () => {
    const logger = recordingLogger();
    const sink = (): never => {
      throw new Error('disk full');
    };
    const app = await appOf({ definitions: [pay], logger, audit: { sink } });
    expect(await callAs(app, 'pay')).toMatchObject({ result: { content: [{ text: 'paid' }] } });
    await app.close();
    expect(logger.lines).toMatchObject([{ level: 'error', message: 'an audit record could not be kept' }]);
  });

  test('closes its sink once all is written', async () => {
    const seen: string[] = [];
    const sink = {
      async write(): Promise<void> {
        await new Promise((resolve) => setTimeout(resolve, 20));
        seen.push('written');
      },
      close: () => void seen.push('closed'),
    };
    const { app } = await audited({ sink });
    await callAs(app, 'pay');
    await app.close();
    expect(seen).toEqual(['written', 'closed']);
  });
});

describe('an audit that is required', () => {
  test('keeps that a call begins before its handler runs', async () => {
    runs = 0;
    const seen: unknown[] = [];
    const sink = ({ event }: AuditRecord): void => void seen.push([event, runs]);
    const { app } = await audited({ sink, required: true });
    await callAs(app, 'pay');
    await app.close();
    expect(seen).toEqual([
      ['call.started', 0],
      ['call.ended', 1],
    ]);
  });

  test('refuses a call when its sink fails, and runs nothing', async () => {
    runs = 0;
    const sink = (): Promise<void> => Promise.reject(new Error('disk full'));
    const logger = recordingLogger();
    const app = await appOf({ definitions: [pay], logger, audit: { sink, required: true } });
    expect(await callAs(app, 'pay')).toMatchObject({
      error: { code: -32603, message: 'The audit record cannot be written now; try again later' },
    });
    expect(runs).toBe(0);
  });

  test('refuses a call when its sink does not answer in time', async () => {
    runs = 0;
    const sink = (): Promise<void> => new Promise(() => undefined);
    const limits = { storeTimeoutMs: 20 };
    const logger = recordingLogger();
    const app = await appOf({ definitions: [pay], logger, limits, audit: { sink, required: true } });
    expect(await callAs(app, 'pay')).toHaveProperty('error.code', -32603);
    expect(runs).toBe(0);
  });

  test('keeps no begin of a call that is denied', async () => {
    const { app, records } = await audited({ required: true });
    await callAs(app, 'hidden');
    await app.close();
    expect(records.map(({ event }) => event)).toEqual(['call.ended']);
  });
});

describe('records that wait for a slow sink', () => {
  test('keep neither the arguments nor the answers of their calls', async () => {
    const kept: WeakRef<object>[] = [];
    const sink = (): Promise<void> => new Promise(() => undefined);
    const app = await appOf({ definitions: [pay], audit: { sink }, limits: { storeTimeoutMs: 60_000 } });
    app.on('call', ({ params }) => kept.push(new WeakRef(params)));
    for (let call = 0; call < 20; call += 1) await callAs(app, 'pay', { card: `${call}`.repeat(10_000) });
    await until(() => {
      collectGarbage();
      return kept.filter((params) => params.deref()).length <= 2;
    });
    expect(kept).toHaveLength(20);
  });

  test('are dropped beyond a number, which the log says', async () => {
    const logger = recordingLogger();
    const sink = (): Promise<void> => new Promise(() => undefined);
    const app = await appOf({
      definitions: [pay],
      logger,
      audit: { sink },
      limits: { storeTimeoutMs: 60_000 },
    });
    const refusal = {
      by: 'token',
      id: 'r',
      reason: 'no',
      status: 401,
      httpMethod: 'POST',
      path: '/',
    } as const;
    for (let told = 0; told < 10_005; told += 1)
      app.endpoint.refused?.({ ...refusal, address: undefined, principal: undefined });
    expect(logger.lines).toMatchObject([
      { level: 'error', message: 'audit records are dropped: the sink is too slow' },
    ]);
  });
});

test('what a function shows of arguments must be JSON, and changes nothing for the handler', async () => {
  const logger = recordingLogger();
  const shown: AuditOptions['arguments'] = (args) => {
    (args as { amount: number }).amount = 1_000;
    return { later: () => 1 };
  };
  const sink = (): void => undefined;
  const app = await appOf({ definitions: [pay], logger, audit: { sink, required: true, arguments: shown } });
  expect(await callAs(app, 'pay', { amount: 5 })).toHaveProperty('error.code', -32603);
  const open = await appOf({ definitions: [pay], logger, audit: { sink, arguments: shown } });
  expect(await callAs(open, 'pay', { amount: 5 })).toMatchObject({ result: { content: [{ text: 'paid' }] } });
});

test('an audit has the URIs that clients subscribe to', async () => {
  const { app, records } = await audited();
  const client = await openSession(app, '2025-11-25');
  await client.request('resources/subscribe', { uri: 'desk://lamp' });
  await app.close();
  expect(records).toMatchObject([{ method: 'resources/subscribe', name: 'desk://lamp' }]);
});

describe('a chain of records', () => {
  async function chained(chain: AuditOptions['chain']): Promise<AuditRecord[]> {
    const { app, records } = await audited({ chain: chain ?? true });
    await Promise.all([
      callAs(app, 'pay', { amount: 1 }),
      callAs(app, 'pay', { amount: 2 }),
      callAs(app, 'nope'),
    ]);
    await app.close();
    return records;
  }

  test('repeats the hash of the record before', async () => {
    const records = await chained(true);
    expect(records.map(({ chain }) => chain?.seq)).toEqual([1, 2, 3]);
    const hashes = records.map(({ chain }) => chain?.hash);
    expect(records.map(({ chain }) => chain?.previous)).toEqual(['', hashes[0], hashes[1]]);
    expect(new Set(records.map(({ chain }) => chain?.id)).size).toBe(1);
    for (const record of records) expect(await auditHash(record)).toBe(record.chain?.hash);
  });

  test('has hashes that others can make', async () => {
    const [record] = await chained({ key: KEY });
    const { hash, ...link } = record?.chain ?? { hash: '' };
    const text = canonicalJson({ ...record, chain: link });
    expect(hash).toBe(createHmac('sha256', KEY).update(text).digest('base64url'));
  });

  test('begins anew after a record that failed, which may have been kept all the same', async () => {
    const records: AuditRecord[] = [];
    const sink = (record: AuditRecord): void => {
      records.push(record);
      if (records.length === 2) throw new Error('late');
    };
    const logger = recordingLogger();
    const app = await appOf({ definitions: [pay], logger, audit: { sink, chain: true } });
    for (let call = 0; call < 4; call += 1) await callAs(app, 'pay');
    await app.close();
    const places = records.map(({ chain }) => [chain?.id, chain?.seq]);
    const [first, second] = [...new Set(places.map(([id]) => id))];
    expect(places).toEqual([
      [first, 1],
      [first, 2],
      [second, 1],
      [second, 2],
    ]);
  });

  test('shows that a record was changed', async () => {
    const [record] = await chained({ key: KEY });
    const changed = { ...record, principal: 'eve' } as AuditRecord;
    expect(await auditHash(changed, KEY)).not.toBe(record?.chain?.hash);
    expect(await auditHash(record as AuditRecord)).not.toBe(record?.chain?.hash);
  });
});

test('options that mean nothing refuse to start', async () => {
  const audit = {
    sink: 'file',
    required: 'yes',
    arguments: 'all',
    chain: { key: 'short', keyy: 1 },
    extra: 1,
  } as never;
  const { message } = await definitionError({ audit });
  for (const option of ['sink', 'required', 'arguments', 'chain', 'extra'])
    expect(message).toContain(`audit.${option}`);
  expect(message).toContain('keyy');
});
