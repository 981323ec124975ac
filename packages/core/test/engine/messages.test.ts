import { describe, expect, test } from '@jest/globals';
import { Arg, Tool } from '../../src/index.js';
import { appOf, Client, openSession, type Message, settled, statelessClient } from '../harness.js';

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
    ['a long string', 'x'.repeat(500)],
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
    @Tool()
    one() {
      return 1;
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
