import { describe, expect, test } from '@jest/globals';
import { defineTool, TaskSupport, Tool } from '../../src/index.js';
import {
  appOf,
  clientOf,
  deferred,
  openSession,
  recordingLogger,
  settled,
  statelessClient,
  textOf,
  until,
} from '../harness.js';

const ERAS = ['2025-11-25', '2026-07-28'];

/** A tool whose calls go on until they are let go, whatever their client does. */
function gatedTool(metadata: Record<PropertyKey, unknown> = {}) {
  const gate = deferred();
  const running = { now: 0, most: 0, begun: 0 };
  const tool = defineTool({
    name: 'slow',
    input: { type: 'object', properties: { text: { type: 'string' } } },
    metadata,
    handle: async () => {
      running.now += 1;
      running.begun += 1;
      running.most = Math.max(running.most, running.now);
      await gate.promise;
      running.now -= 1;
      return 'done';
    },
  });
  return { gate, running, tool };
}

describe('the places of requests in flight', () => {
  test.each(ERAS)(
    'are held until handlers have ended, also when they are cancelled, in %s',
    async (version) => {
      const { gate, running, tool } = gatedTool();
      const app = await appOf({ definitions: [tool], limits: { maxInFlight: 4 } });
      const client = await clientOf(app, version);
      for (let round = 0; round < 5; round++) {
        for (let call = 0; call < 4; call++) {
          const id = `${round}-${call}`;
          client.start('tools/call', { name: 'slow' }, id);
          await settled();
          client.notify('notifications/cancelled', { requestId: id });
        }
      }
      await settled();
      expect(running.most).toBe(4);
      gate.resolve();
      await settled();
      expect(textOf(await client.call('slow'))).toBe('done');
    },
  );

  test.each(ERAS)(
    'leave lists, discovery and ping answerable when calls have them all, in %s',
    async (version) => {
      const { gate, tool } = gatedTool();
      const app = await appOf({ definitions: [tool], limits: { maxInFlight: 1 } });
      const client = await clientOf(app, version);
      client.start('tools/call', { name: 'slow' }, 'a');
      expect(await client.error('tools/call', { name: 'slow' })).toEqual({
        code: -32603,
        message: '1 requests are already running, which is the maximum; try again later',
      });
      expect(await client.request('tools/list')).toMatchObject({ result: { tools: [{ name: 'slow' }] } });
      if (version === '2026-07-28')
        expect(await client.request('server/discover')).toMatchObject({ result: { capabilities: {} } });
      else expect(await client.request('ping')).toMatchObject({ result: {} });
      gate.resolve();
      expect(await client.response('a')).toMatchObject({ result: { content: [{ text: 'done' }] } });
    },
  );

  test('are shared: one client has no more than its part, and leaves the rest to others', async () => {
    const { gate, tool } = gatedTool();
    const logger = recordingLogger();
    const limits = { maxInFlight: 3, maxInFlightPerClient: 2 };
    const app = await appOf({ definitions: [tool], limits, logger });
    const of = (id: string) => statelessClient(app, {}, { requestInfo: { principal: { id } } });
    const [ann, other, bob, cid] = [of('ann'), of('ann'), of('bob'), of('cid')];
    ann.start('tools/call', { name: 'slow' }, 1);
    other.start('tools/call', { name: 'slow' }, 2);
    for (let again = 0; again < 3; again++)
      expect(await other.error('tools/call', { name: 'slow' })).toMatchObject({ code: -32603 });
    bob.start('tools/call', { name: 'slow' }, 3);
    expect(await cid.error('tools/call', { name: 'slow' })).toMatchObject({ code: -32603 });
    gate.resolve();
    expect(await bob.response(3)).toMatchObject({ result: { content: [{ text: 'done' }] } });
    expect(textOf(await cid.call('slow'))).toBe('done');
    // The log is told once a minute, and not for each.
    const refused = logger.lines.filter(({ message }) => message?.includes('requests are refused'));
    expect(refused).toMatchObject([
      {
        level: 'warn',
        details: {
          reason: '2 requests of this client are already running, which is the maximum; try again later',
          principal: 'ann',
          method: 'tools/call',
        },
      },
      {
        details: {
          reason: '3 requests are already running, which is the maximum; try again later',
          principal: 'cid',
        },
      },
    ]);
  });

  test('count connections where a transport says nothing of its clients', async () => {
    const { gate, tool } = gatedTool();
    const app = await appOf({ definitions: [tool], limits: { maxInFlightPerClient: 1 } });
    const [one, two] = [statelessClient(app), await openSession(app)];
    one.start('tools/call', { name: 'slow' }, 'a');
    expect(await one.error('tools/call', { name: 'slow' })).toMatchObject({ code: -32603 });
    two.start('tools/call', { name: 'slow' }, 'b');
    gate.resolve();
    expect(await two.response('b')).toMatchObject({ result: { content: [{ text: 'done' }] } });
  });
});

describe('what calls at work keep of their messages', () => {
  const large = { text: 'x'.repeat(2000) };
  const requestInfo = (id: string, bodyBytes = 2100) => ({ requestInfo: { principal: { id }, bodyBytes } });

  test.each(ERAS)(
    'has a bound, for one client and for all, until handlers have ended, in %s',
    async (version) => {
      const { gate, tool } = gatedTool();
      const app = await appOf({ definitions: [tool], limits: { maxInFlightBytes: 4 * 13_000 } });
      const of = (id: string, bodyBytes?: number) => clientOf(app, version, requestInfo(id, bodyBytes));
      const [ann, bob, short] = [await of('ann'), await of('bob'), await of('ann', 1000)];
      ann.start('tools/call', { name: 'slow', arguments: large }, 'a');
      ann.start('tools/call', { name: 'slow', arguments: large }, 'b');
      expect(await ann.error('tools/call', { name: 'slow', arguments: large })).toEqual({
        code: -32603,
        message: 'The running calls have reached a memory limit; try again later',
      });
      bob.start('tools/call', { name: 'slow', arguments: large }, 'c');
      short.start('tools/call', { name: 'slow' }, 'd');
      ann.notify('notifications/cancelled', { requestId: 'a' });
      await settled();
      expect(await ann.error('tools/call', { name: 'slow', arguments: large })).toMatchObject({
        code: -32603,
      });
      gate.resolve();
      await ann.response('b');
      await bob.response('c');
      await short.response('d');
      expect(textOf(await ann.call('slow', large))).toBe('done');
      expect(textOf(await ann.call('slow', large))).toBe('done');
    },
  );

  test('counts for tasks that run, and others wait until there is room', async () => {
    const { gate, running, tool } = gatedTool(TaskSupport.entry('required'));
    const app = await appOf({ definitions: [tool], limits: { maxInFlightBytes: 4 * 13_000 } });
    const extensions = { 'io.modelcontextprotocol/tasks': {} };
    const client = statelessClient(app, { extensions }, requestInfo('ann'));
    const begun = [
      await client.call('slow', large),
      await client.call('slow', large),
      await client.call('slow', large),
    ];
    const looker = statelessClient(app, { extensions }, requestInfo('ann', 0));
    await until(() => running.begun === 2);
    await settled();
    expect(running.begun).toBe(2);
    gate.resolve();
    for (const { taskId } of begun)
      await until(async () => (await looker.result('tasks/get', { taskId }))['status'] === 'completed');
    expect(running.begun).toBe(3);
  });
});

describe('a batch', () => {
  test('is answered with errors beyond the bytes that its answers may have', async () => {
    class Large {
      @Tool({ description: 'Large' })
      large(): string {
        return 'x'.repeat(1000);
      }
    }
    const app = await appOf({ services: [Large], limits: { maxBatchBytes: 3000 } });
    const client = await openSession(app, '2025-03-26');
    const calls = [1, 2, 3, 4].map((id) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'large' },
    }));
    client.send(calls);
    await settled();
    const answers = client.received.at(-1) as {
      id: number;
      result?: object;
      error?: { code: number; message: string };
    }[];
    expect(answers.filter(({ result }) => result).map(({ id }) => id)).toEqual([1, 2]);
    expect(answers.filter(({ error }) => error)).toEqual(
      [3, 4].map((id) => ({
        jsonrpc: '2.0',
        id,
        error: {
          code: -32603,
          message: 'The answers of the batch have more than 3000 bytes: send fewer requests in one batch',
        },
      })),
    );
  });
});
