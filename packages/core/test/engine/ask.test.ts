import { describe, expect, test } from '@jest/globals';
import { IsInt, IsOptional, IsString, Max } from 'class-validator';
import { defineTool, Tool, ToolContext } from '../../src/index.js';
import {
  type Answerer,
  appOf,
  type Client,
  type Json,
  openSession,
  settled,
  statelessClient,
  textOf,
} from '../harness.js';

class Order {
  @IsString() colour!: string;
  @IsInt() @Max(9) @IsOptional() count?: number;
}
const MESSAGES = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hi' } }];

class Asking {
  @Tool()
  async form(context: ToolContext) {
    const { action, content } = await context.elicit('Which?', Order);
    return { action, isOrder: content instanceof Order, ...content };
  }
  @Tool()
  async schema(context: ToolContext) {
    return context.elicit('Which?', {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
    });
  }
  @Tool()
  async page(context: ToolContext) {
    return context.elicitUrl('Sign in', 'https://example.com/sign-in');
  }
  @Tool()
  async model(context: ToolContext) {
    return context.sample({ messages: MESSAGES, maxTokens: 10 });
  }
  @Tool()
  async modelWithTools(context: ToolContext) {
    return context.sample({ messages: MESSAGES, maxTokens: 10, tools: [] });
  }
  @Tool()
  async roots(context: ToolContext) {
    return { roots: await context.roots() };
  }
  @Tool()
  async impatient(context: ToolContext) {
    return { roots: await context.roots({ timeoutMs: 10 }) };
  }
}
const ALL = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} };

async function session(answer?: Answerer, capabilities: Json = ALL, version = '2025-11-25'): Promise<Client> {
  return openSession(await appOf({ services: [Asking] }), version, capabilities, answer ? { answer } : {});
}
const asked = (client: Client) =>
  client.messages.filter(({ id, method }) => id !== undefined && method !== undefined);

describe('a form', () => {
  test('is shown by a request of the server, and its answer is an instance', async () => {
    const client = await session(() => ({ action: 'accept', content: { colour: 'red', count: 2 } }));
    expect((await client.call('form'))['structuredContent']).toEqual({
      action: 'accept',
      isOrder: true,
      colour: 'red',
      count: 2,
    });
    expect(asked(client)).toEqual([
      {
        jsonrpc: '2.0',
        id: expect.any(Number),
        method: 'elicitation/create',
        params: {
          _meta: { progressToken: expect.any(Number) },
          message: 'Which?',
          requestedSchema: {
            type: 'object',
            properties: { colour: { type: 'string' }, count: { type: 'integer', maximum: 9 } },
            required: ['colour'],
          },
        },
      },
    ]);
  });

  test('may be a schema, and its answer is as it came', async () => {
    const client = await session(() => ({ action: 'accept', content: { a: 'x' } }));
    expect((await client.call('schema'))['structuredContent']).toEqual({
      action: 'accept',
      content: { a: 'x' },
    });
  });

  test('works in an app that has no other class', async () => {
    const definitions = [
      defineTool({
        name: 'form',
        handle: async (_args, context) => (await context.elicit('Which?', Order)).content,
      }),
    ];
    const answer = () => ({ action: 'accept', content: { colour: 'red' } });
    const client = await openSession(await appOf({ definitions }), '2025-11-25', ALL, { answer });
    expect((await client.call('form'))['structuredContent']).toEqual({ colour: 'red' });
  });

  test.each(['decline', 'cancel'])('that ends in %s gives no content', async (action) => {
    const client = await session(() => ({ action, content: { colour: 'red' } }));
    expect((await client.call('form'))['structuredContent']).toEqual({ action, isOrder: false });
  });

  test.each<[string, unknown]>([
    ['misses a property', { action: 'accept', content: {} }],
    ['has a wrong value', { action: 'accept', content: { colour: 'red', count: 10 } }],
    ['has no content', { action: 'accept' }],
    ['has no action', { content: { colour: 'red' } }],
    ['has an unknown action', { action: 'maybe' }],
  ])('whose answer %s is a failure that the model reads', async (_, answer) => {
    const client = await session(() => answer);
    const result = await client.call('form');
    expect(result['isError']).toBe(true);
    expect(textOf(result)).toMatch(
      /^The client('s answer does not satisfy the form| sent a malformed answer)/,
    );
  });
});

describe('a page', () => {
  test('is opened by a request with an id of its own', async () => {
    const client = await session(() => ({ action: 'accept' }));
    const { elicitationId } = (await client.call('page'))['structuredContent'] as { elicitationId: string };
    expect(asked(client)[0]).toMatchObject({
      method: 'elicitation/create',
      params: { mode: 'url', message: 'Sign in', url: 'https://example.com/sign-in', elicitationId },
    });
  });
});

describe('a model', () => {
  test('is asked by a request of the server', async () => {
    const message = { role: 'assistant', content: { type: 'text', text: 'Hello' }, model: 'm' };
    const client = await session(() => message);
    expect((await client.call('model'))['structuredContent']).toEqual(message);
    expect(asked(client)[0]).toMatchObject({
      method: 'sampling/createMessage',
      params: { messages: MESSAGES, maxTokens: 10 },
    });
  });

  test.each<[string, unknown]>([
    ['nonsense', { hello: 1 }],
    ['nobody', { role: 'system', content: { type: 'text', text: 'Hello' }, model: 'm' }],
    ['no content', { role: 'assistant', content: 'Hello', model: 'm' }],
    ['no model', { role: 'assistant', content: { type: 'text', text: 'Hello' } }],
  ])('that answers %s is a failure that the model reads', async (_, answer) => {
    const client = await session(() => answer);
    expect(await client.call('model')).toMatchObject({
      isError: true,
      content: [{ text: 'The client sent a malformed answer to sampling/createMessage' }],
    });
  });
});

describe('roots', () => {
  test('are asked for by a request of the server', async () => {
    const roots = [{ uri: 'file:///home', name: 'Home' }];
    const client = await session(() => ({ roots }));
    expect((await client.call('roots'))['structuredContent']).toEqual({ roots });
    expect(asked(client)[0]).toEqual({ jsonrpc: '2.0', id: expect.any(Number), method: 'roots/list' });
  });

  test('are what the client says of them, but for members of another type than they have', async () => {
    const whole = { uri: 'file:///tmp', name: 'Tmp', title: 'T', kind: 'folder', _meta: { a: 1 }, own: [2] };
    const roots = [{ uri: 'file:///home', name: 7, title: {}, kind: 1, _meta: 'x', admin: true }, whole];
    const client = await session(() => ({ roots }));
    expect((await client.call('roots'))['structuredContent']).toEqual({
      roots: [{ uri: 'file:///home', admin: true }, whole],
    });
  });

  test.each([[[null]], [['file:///home']], [[{ uri: 7 }]], [[{ uri: 'home' }]]])(
    'are not taken when they are %j',
    async (roots) => {
      const client = await session(() => ({ roots }));
      expect(await client.call('roots')).toMatchObject({
        isError: true,
        content: [{ text: 'The client sent a malformed answer to roots/list' }],
      });
    },
  );
});

describe('a client that cannot', () => {
  test.each<[string, Json, string]>([
    ['form', {}, '2025-11-25'],
    ['form', { elicitation: { url: {} } }, '2025-11-25'],
    ['form', { elicitation: {} }, '2025-03-26'],
    ['page', { elicitation: {} }, '2025-11-25'],
    ['page', { elicitation: { url: {} } }, '2025-06-18'],
    ['model', {}, '2025-11-25'],
    ['model_with_tools', { sampling: {} }, '2025-11-25'],
    ['roots', {}, '2025-11-25'],
  ])('is not asked for %s: capabilities %j in %s [checklist 42]', async (name, capabilities, version) => {
    const client = await session(undefined, capabilities, version);
    expect(await client.error('tools/call', { name })).toMatchObject({
      code: -32600,
      message: expect.stringMatching(/^The client (cannot|has no|does not)/),
    });
    expect(asked(client)).toEqual([]);
  });

  test('is one that showed a bare elicitation capability only for pages [checklist 42]', async () => {
    const client = await session(() => ({ action: 'decline' }), { elicitation: {} }, '2025-06-18');
    expect((await client.call('form'))['structuredContent']).toMatchObject({ action: 'decline' });
  });

  test('is told in the stateless era what it lacks, and gets no request [checklist 42] [checklist 44]', async () => {
    const client = statelessClient(await appOf({ services: [Asking] }));
    for (const [name, requiredCapabilities] of [
      ['form', { elicitation: { form: {} } }],
      ['page', { elicitation: { url: {} } }],
      ['model', { sampling: {} }],
      ['model_with_tools', { sampling: {} }],
      ['roots', { roots: {} }],
    ] as const) {
      const error = await client.error('tools/call', { name });
      expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities } });
    }
    expect(asked(client)).toEqual([]);
  });
});

describe('an answer', () => {
  test('that is an error is a failure that the model reads, without its code', async () => {
    const client = await session(() => {
      throw new Error('The user is asleep');
    });
    expect(await client.call('roots')).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'The client refused: The user is asleep' }],
    });
  });

  test('that does not come in time ends the wait, and the question is withdrawn', async () => {
    const client = await session();
    const result = await client.call('impatient');
    expect([result['isError'], textOf(result)]).toEqual([true, expect.stringContaining('within 10 ms')]);
    expect(client.heard('notifications/cancelled')).toEqual([
      { requestId: asked(client)[0]?.id, reason: expect.stringContaining('10 ms') },
    ]);
  });

  test('finds its question among several', async () => {
    const client = await session();
    const ids = [client.start('tools/call', { name: 'roots' }), client.start('tools/call', { name: 'form' })];
    await settled();
    const [first, second] = asked(client);
    expect(first?.id).not.toBe(second?.id);
    client.send({ jsonrpc: '2.0', id: second?.id, result: { action: 'decline' } });
    client.send({ jsonrpc: '2.0', id: first?.id, result: { roots: [] } });
    const answers = await Promise.all(ids.map((id) => client.response(id)));
    expect(answers.map(({ result }) => result?.['structuredContent'])).toEqual([
      { roots: [] },
      { action: 'decline', isOrder: false },
    ]);
  });

  test('of one client does not reach another [checklist 26]', async () => {
    const app = await appOf({ services: [Asking] });
    const [one, other] = [
      await openSession(app, '2025-11-25', ALL),
      await openSession(app, '2025-11-25', ALL),
    ];
    const id = one.start('tools/call', { name: 'roots' });
    other.start('tools/call', { name: 'roots' });
    await settled();
    const question = asked(one)[0]?.id;
    other.send({ jsonrpc: '2.0', id: question, result: { roots: [{ uri: 'file:///other' }] } });
    await settled();
    one.send({ jsonrpc: '2.0', id: question, result: { roots: [{ uri: 'file:///one' }] } });
    expect((await one.response(id)).result?.['structuredContent']).toEqual({
      roots: [{ uri: 'file:///one' }],
    });
  });

  test('is waited for no longer once the request is cancelled', async () => {
    const client = await session();
    client.start('tools/call', { name: 'roots' }, 'r');
    await settled();
    client.notify('notifications/cancelled', { requestId: 'r' });
    await settled();
    expect(client.heard('notifications/cancelled')).toMatchObject([{ requestId: asked(client)[0]?.id }]);
    client.send({ jsonrpc: '2.0', id: asked(client)[0]?.id, result: { roots: [] } });
    await settled();
    expect(client.messages.filter(({ id, method }) => id === 'r' && method === undefined)).toEqual([]);
  });

  test('is waited for no longer once the client is gone', async () => {
    const client = await session();
    client.start('tools/call', { name: 'roots' }, 'r');
    await settled();
    await client.close(1000);
    expect(client.messages.find(({ id }) => id === 'r')?.result).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'The server is closing: call again later' }],
    });
  });
});

describe('a form with choices', () => {
  const FORM = {
    type: 'object',
    properties: {
      size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }, { const: 'l' }], default: 's' },
      gift: { type: 'boolean', default: true },
    },
  };
  const LISTS = {
    ...FORM,
    properties: { sizes: { type: 'array', items: { type: 'string', enum: ['s', 'l'] } } },
  };

  async function shown(version: string, form: Json): Promise<Json | undefined> {
    const ask = defineTool({
      name: 'ask',
      handle: async (_args, context) => (await context.elicit('?', form)).action,
    });
    const app = await appOf({ definitions: [ask] });
    const answer = () => ({ action: 'decline' });
    const client = await openSession(app, version, { elicitation: {} }, { answer });
    await client.request('tools/call', { name: 'ask' });
    return asked(client)[0]?.params?.['requestedSchema'] as Json | undefined;
  }

  test('is shown to 2025-11-25 as it is', async () => {
    expect(await shown('2025-11-25', FORM)).toMatchObject({ properties: FORM.properties });
    expect(await shown('2025-11-25', LISTS)).toMatchObject({ properties: LISTS.properties });
  });

  test('is shown to 2025-06-18 in the words it knows, and not at all where it has none', async () => {
    expect(await shown('2025-06-18', FORM)).toMatchObject({
      properties: {
        size: { type: 'string', enum: ['s', 'l'], enumNames: ['Small', 'l'] },
        gift: { type: 'boolean', default: true },
      },
    });
    expect(await shown('2025-06-18', FORM)).not.toHaveProperty('properties.size.default');
    expect(await shown('2025-06-18', LISTS)).toBeUndefined();
  });
});

describe('a message of several blocks', () => {
  const [one, two] = [
    { type: 'text' as const, text: 'one' },
    { type: 'text' as const, text: 'two' },
  ];

  test.each([
    ['2025-11-25', [{ role: 'user', content: [one, two] }]],
    [
      '2025-06-18',
      [
        { role: 'user', content: one },
        { role: 'user', content: two },
      ],
    ],
  ])('is shown to the model of %s in the words it knows', async (version, messages) => {
    const params = { messages: [{ role: 'user' as const, content: [one, two] }], maxTokens: 1 };
    const think = defineTool({
      name: 'think',
      handle: async (_args, context) => (await context.sample(params)).model,
    });
    const answer = () => ({ role: 'assistant', content: one, model: 'm' });
    const app = await appOf({ definitions: [think] });
    const client = await openSession(app, version, { sampling: {} }, { answer });
    await client.call('think');
    expect(asked(client)[0]?.params?.['messages']).toEqual(messages);
  });
});

test('a key that is no string is refused in both eras', async () => {
  class Desk {
    @Tool()
    async ask(context: ToolContext) {
      return context
        .elicit('Who?', { type: 'object', properties: {} }, { key: 5 as never })
        .catch((error: unknown) => String(error));
    }
  }
  const app = await appOf({ services: [Desk] });
  for (const client of [
    await openSession(app, '2025-11-25', { elicitation: {} }),
    statelessClient(app, { elicitation: {} }),
  ])
    expect(textOf(await client.call('ask'))).toContain('the key of a question must be a string');
});
