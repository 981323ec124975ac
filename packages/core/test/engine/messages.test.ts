import { describe, expect, test } from '@jest/globals';
import { Arg, Complete, Prompt, Tool } from '../../src/index.js';
import {
  appOf,
  Client,
  openSession,
  type Message,
  recordingLogger,
  settled,
  statelessClient,
  until,
} from '../harness.js';

class Echo {
  @Tool()
  echo(@Arg('value') value: string) {
    return value;
  }
}
const app = await appOf({ services: [Echo] });

/** The only message that answers another. */
async function answerTo(message: unknown): Promise<Message | undefined> {
  const client = await openSession(app);
  const before = client.received.length;
  client.send(message);
  await settled();
  expect(client.received.length - before).toBeLessThan(2);
  return client.messages[before];
}

describe('a malformed message', () => {
  test.each<[string, unknown, unknown]>([
    ['null', null, null],
    ['a number', 7, null],
    ['a string', 'ping', null],
    ['an empty object', {}, null],
    ['no version', { id: 7, method: 'ping' }, 7],
    ['another version', { jsonrpc: '1.0', id: 7, method: 'ping' }, 7],
    ['the id null', { jsonrpc: '2.0', id: null, method: 'ping' }, null],
    ['a fraction as id', { jsonrpc: '2.0', id: 1.5, method: 'ping' }, null],
    ['an object as id', { jsonrpc: '2.0', id: {}, method: 'ping' }, null],
    ['no method', { jsonrpc: '2.0', id: 7 }, 7],
    ['a number as method', { jsonrpc: '2.0', id: 'seven', method: 7 }, 'seven'],
  ])(
    'with %s is refused with -32600 and the id as far as it is readable [checklist 9] [checklist 15]',
    async (_, message, id) => {
      expect(await answerTo(message)).toMatchObject({ jsonrpc: '2.0', id, error: { code: -32600 } });
    },
  );

  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

  test('with more than 64 levels is refused, unless the app takes more [checklist 55]', async () => {
    // The message and its params are levels themselves.
    const ping = (id: number, levels: number) => ({
      jsonrpc: '2.0',
      id,
      method: 'ping',
      params: { x: nested(levels - 2) },
    });
    expect(await answerTo(ping(1, 64))).toMatchObject({ id: 1, result: {} });
    expect(await answerTo(ping(2, 65))).toMatchObject({
      id: 2,
      error: { code: -32600, message: expect.stringContaining('more than 64 nested levels') },
    });
    const taking = await openSession(await appOf({ services: [Echo], limits: { maxDepth: 100 } }));
    expect(await taking.request('ping', { x: nested(98) })).toMatchObject({ result: {} });
    expect(await taking.error('ping', { x: nested(99) })).toMatchObject({ code: -32600 });
  });

  test('with an id of more than 256 characters is refused, and the id is not repeated [checklist 55]', async () => {
    expect(await answerTo({ jsonrpc: '2.0', id: 'i'.repeat(256), method: 'ping' })).toMatchObject({
      result: {},
    });
    expect(await answerTo({ jsonrpc: '2.0', id: 'i'.repeat(257), method: 'ping' })).toMatchObject({
      id: null,
      error: { code: -32600 },
    });
  });

  test.each<[string, string, object]>([
    ['a cursor', 'tools/list', { cursor: 'c'.repeat(5_000) }],
    ['an argument', 'tools/call', { name: 'echo', arguments: { ['a'.repeat(5_000)]: 1 } }],
    ['a tool', 'tools/call', { name: 't'.repeat(5_000) }],
    ['a prompt', 'prompts/get', { name: 'p'.repeat(5_000) }],
    ['a resource', 'resources/read', { uri: `r://${'r'.repeat(5_000)}` }],
    ['a completion', 'completion/complete', { ref: nested(60), argument: { name: 'a', value: 'b' } }],
  ])(
    'that names %s that is not there is repeated in part at most [checklist 55]',
    async (_what, method, params) => {
      const answer = await answerTo({ jsonrpc: '2.0', id: 3, method, params });
      expect(answer).toMatchObject(
        method === 'tools/call' && 'arguments' in params
          ? { id: 3, result: { isError: true } }
          : { id: 3, error: { code: expect.any(Number) } },
      );
      expect(JSON.stringify(answer).length).toBeLessThan(1_000);
    },
  );

  test('that asks for a method with a long name is refused with -32601 [checklist 55]', async () => {
    const answer = await answerTo({ jsonrpc: '2.0', id: 3, method: 'm'.repeat(5_000) });
    expect(answer).toMatchObject({ id: 3, error: { code: -32601 } });
    expect(JSON.stringify(answer).length).toBeLessThan(400);
  });

  test.each(['capabilities', 'clientInfo'])(
    'that opens a session with %s of more than 8 KiB is refused: it would be kept',
    async (member) => {
      const open = (length: number) =>
        new Client(app).request('initialize', {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'tester', version: '0' },
          [member]: { name: 'tester', version: 'x'.repeat(length) },
        });
      expect(await open(8_000)).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
      expect(await open(8_192)).toMatchObject({
        error: { code: -32602, message: expect.stringContaining(member) },
      });
    },
  );

  test.each<[string, unknown]>([
    ['an array', []],
    ['a string', 'x'],
    ['a number', 1],
    ['false', false],
  ])('with params that are %s is refused with -32602', async (_, params) => {
    const answer = await answerTo({ jsonrpc: '2.0', id: 9, method: 'tools/list', params });
    expect(answer).toMatchObject({ id: 9, error: { code: -32602 } });
  });

  test.each<[string, unknown]>([
    ['a notification nobody knows', { jsonrpc: '2.0', method: 'notifications/unheard' }],
    ['a notification with odd params', { jsonrpc: '2.0', method: 'notifications/cancelled', params: [1] }],
    ['a request sent as a notification', { jsonrpc: '2.0', method: 'ping' }],
    ['a response to nothing', { jsonrpc: '2.0', id: 99, result: {} }],
    ['an error to nothing', { jsonrpc: '2.0', id: 99, error: { code: 1, message: 'x' } }],
  ])('that is %s gets no answer', async (_, message) => {
    expect(await answerTo(message)).toBeUndefined();
  });

  test.each<[string, string | number]>([
    ['zero', 0],
    ['a negative number', -1],
    ['an empty string', ''],
    ['a long string', 'x'.repeat(256)],
    ['a string of digits', '1'],
  ])('is not one whose id is %s', async (_, id) => {
    expect(await answerTo({ jsonrpc: '2.0', id, method: 'ping' })).toEqual({
      jsonrpc: '2.0',
      id,
      result: {},
    });
  });
});

describe('tools/call', () => {
  test.each(['nothing', 'constructor', '__proto__', 'toString', 'hasOwnProperty', ''])(
    'of %j is refused with -32602 as an unknown tool [checklist 30] [checklist 31]',
    async (name) => {
      for (const client of [await openSession(app), statelessClient(app)]) {
        expect(await client.error('tools/call', { name, arguments: {} })).toEqual({
          code: -32602,
          message: `Unknown tool: ${name}`,
        });
      }
    },
  );

  test.each<[string, Record<string, unknown>]>([
    ['no name', {}],
    ['a number as name', { name: 7 }],
    ['a list of arguments', { name: 'echo', arguments: ['x'] }],
    ['null arguments', { name: 'echo', arguments: null }],
    ['a string of arguments', { name: 'echo', arguments: '{}' }],
  ])('with %s is refused with -32602 [checklist 30]', async (_, params) => {
    const client = await openSession(app);
    expect(await client.error('tools/call', params)).toMatchObject({ code: -32602 });
  });

  test('takes an argument that is called like a prototype as an unknown one', async () => {
    const client = await openSession(app);
    client.send(
      JSON.parse(
        '{"jsonrpc":"2.0","id":"p","method":"tools/call","params":{"name":"echo","arguments":{"value":"x","__proto__":{"y":1}}}}',
      ),
    );
    expect(await client.response('p')).toMatchObject({ result: { isError: true } });
    expect(({} as Record<string, unknown>)['y']).toBeUndefined();
  });
});

describe('another unknown name', () => {
  class Others {
    @Prompt()
    one(@Arg('a') a: string) {
      return a;
    }

    @Complete('one', 'a')
    ones() {
      return ['a'];
    }
  }

  test.each([
    ['prompts/get', { name: 'constructor' }],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: '__proto__' }, argument: { name: 'a', value: '' } },
    ],
    ['completion/complete', { ref: { type: 'ref/other', name: 'x' }, argument: { name: 'a', value: '' } }],
    ['completion/complete', { ref: 'x', argument: { name: 'a', value: '' } }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'x' } }],
  ])('in %s is refused with -32602: %j [checklist 38]', async (method, params) => {
    const client = await openSession(await appOf({ services: [Others] }));
    expect(await client.error(method, params)).toMatchObject({ code: -32602 });
  });

  test('does not keep the connection from serving on', async () => {
    const client = new Client(app);
    client.send('not a message');
    expect(await client.result('ping')).toEqual({});
  });
});

test.each([
  ['a result', { name: 'echo', arguments: { value: 'a' } }],
  ['an error', { name: 'missing' }],
])('%s that a transport cannot send is logged, and does not end the process', async (_what, params) => {
  const rejections: unknown[] = [];
  const listen = (reason: unknown): void => void rejections.push(reason);
  process.on('unhandledRejection', listen);
  try {
    const logger = recordingLogger();
    const app = await appOf({ services: [Echo], middleware: [async (_context, next) => next()], logger });
    const sink = {
      send: () => undefined,
      end: () => {
        throw new Error('gone');
      },
    };
    const connection = app.endpoint.connect(sink);
    const _meta = statelessClient(app).envelope;
    connection.receive({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta } }, sink);
    await until(() => logger.lines.some(({ message }) => message === 'a response could not be sent'));
    await settled();
    expect(rejections).toEqual([]);
  } finally {
    process.off('unhandledRejection', listen);
  }
});
