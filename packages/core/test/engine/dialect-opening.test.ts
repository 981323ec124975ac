import { describe, expect, test } from '@jest/globals';
import { InputResponseError, type App, Arg, Tool, ToolContext } from '../../src/index.js';
import { PROTOCOL_VERSIONS } from '../../src/protocol.js';
import { appOf, Client, type ClientOptions, type Json, textOf } from '../harness.js';

class Services {
  @Tool()
  async ask(@Arg('messages') messages: number, context: ToolContext) {
    const { content, ...rest } = await context.sample({
      messages: Array.from({ length: messages }, (_, at) => ({
        role: 'user' as const,
        content: { type: 'text' as const, text: `message ${at}` },
      })),
      maxTokens: 9,
      modelPreferences: { hints: [{ name: 'small' }] },
    });
    return { ...rest, content };
  }
  @Tool()
  async roots(context: ToolContext) {
    try {
      return { roots: await context.roots(), declared: context.client.capabilities.roots };
    } catch (error) {
      if (error instanceof InputResponseError) return { reason: error.reason };
      throw error;
    }
  }
  @Tool()
  speak({ log }: ToolContext) {
    for (const level of ['debug', 'info', 'error', 'emergency'] as const) log[level](level);
    return 'done';
  }
}

const serve = (): Promise<App> => appOf({ services: [Services] });

/** A client that opens a session with members of the older documents. */
async function open(members: Json, options: ClientOptions = {}, app?: App): Promise<Client> {
  const client = new Client(app ?? (await serve()), options);
  await client.result('initialize', { protocolVersion: '2025-11-25', capabilities: {}, ...members });
  client.notify('initialized');
  return client;
}

const structured = async (client: Client, tool: string, args?: Json): Promise<unknown> =>
  JSON.parse(String(textOf(await client.call(tool, args))));

describe('a model behind a client of the older dialect', () => {
  const able = { capabilities: { sampling: {} } };

  test('is asked with a message, a context and a hint, and its answer is read', async () => {
    const asked: unknown[] = [];
    const answer = ({ method, params }: { method?: string; params?: Json }) => {
      asked.push([method, params]);
      return { message: 'Paris', model: 'small-1', stopReason: 'endTurn' };
    };
    const client = await open(able, { answer });
    expect(await structured(client, 'ask', { messages: 2 })).toEqual({
      role: 'assistant',
      model: 'small-1',
      stopReason: 'endTurn',
      content: { type: 'text', text: 'Paris' },
    });
    expect(asked).toEqual([
      [
        'sampling/create_message',
        {
          message: 'message 1',
          context: [{ role: 'user', content: { type: 'text', text: 'message 0' } }],
          modelHint: 'small',
          modelPreferences: { hints: [{ name: 'small' }] },
          maxTokens: 9,
          _meta: { progressToken: expect.any(Number) },
        },
      ],
    ]);
  });

  test('may answer in the words of the specification', async () => {
    const said = { role: 'assistant', model: 'm', content: { type: 'text', text: 'Paris' } };
    const client = await open(able, { answer: () => said });
    expect(await structured(client, 'ask', { messages: 1 })).toEqual(said);
  });

  test('gives no answer by a message that is none', async () => {
    const client = await open(able, { answer: () => ({ message: 7, model: 'm' }) });
    expect(await client.call('ask', { messages: 1 })).toMatchObject({
      isError: true,
      content: [{ text: 'The client sent a malformed answer to sampling/createMessage' }],
    });
  });

  test('gives none in that form to a server that does not hear the dialect', async () => {
    const client = new Client(await serve(), { answer: () => ({ message: 'Paris', model: 'm' }) });
    await client.result('initialize', { protocolVersion: '2025-11-25', ...able });
    client.notify('notifications/initialized');
    expect(await client.call('ask', { messages: 1 })).toMatchObject({ isError: true });
  });
});

describe('the "trace" of initialize', () => {
  test.each([
    ['off', ['emergency']],
    ['messages', ['info', 'error', 'emergency']],
    ['verbose', ['debug', 'info', 'error', 'emergency']],
    ['loud', ['debug', 'info', 'error', 'emergency']],
    [7, ['debug', 'info', 'error', 'emergency']],
  ])('%j lets the log messages %j of a session pass', async (trace, heard) => {
    const client = await open({ trace });
    await client.call('speak');
    expect(client.heard('notifications/message').map((params) => params?.['message'])).toEqual(heard);
  });

  test('is the level until the client sets another', async () => {
    const client = await open({ trace: 'off' });
    await client.result('logging/set_level', { level: 'error' });
    await client.call('speak');
    expect(client.heard('notifications/message')).toHaveLength(2);
  });

  test('does not make the session speak the dialect by itself', async () => {
    const client = new Client(await serve());
    await client.result('initialize', { protocolVersion: '2025-11-25', capabilities: {}, trace: 'messages' });
    client.notify('notifications/initialized');
    await client.call('speak');
    expect(client.heard('notifications/message')[0]).toEqual({ level: 'info', data: 'info' });
  });
});

describe('the "workspaceFolders" of initialize', () => {
  const folders = [{ uri: 'file:///work', name: 'Work', index: 1 }, { uri: 'file:///tmp' }];
  const roots = [{ uri: 'file:///work', name: 'Work' }, { uri: 'file:///tmp' }];
  const SESSIONS = PROTOCOL_VERSIONS.filter((version) => version !== '2026-07-28');

  test.each(SESSIONS)('are roots, for which the client is not asked, in %s', async (protocolVersion) => {
    const client = await open({ protocolVersion, workspaceFolders: folders });
    for (let call = 0; call < 2; call += 1)
      expect(await structured(client, 'roots')).toEqual({ roots, declared: {} });
    expect(client.messages.filter(({ method }) => method !== undefined)).toEqual([]);
  });

  test('are no roots when they are null', async () => {
    const client = await open({ workspaceFolders: null });
    expect(await structured(client, 'roots')).toEqual({ roots: [], declared: {} });
  });

  test.each([[[{ uri: 'no uri' }]], [[{ name: 'Work' }]], [['file:///work']], [[null]]])(
    'are refused when a handler wants them and they are %j',
    async (workspaceFolders) => {
      expect(await structured(await open({ workspaceFolders }), 'roots')).toEqual({ reason: 'invalid' });
    },
  );

  test.each([['file:///work'], [{}], [undefined]])(
    'are not there when they are %j',
    async (workspaceFolders) => {
      const client = await open({ workspaceFolders });
      expect(await client.error('tools/call', { name: 'roots' })).toMatchObject({
        message: 'The client does not share its roots',
      });
    },
  );

  test('are not used where the client declares that it can be asked', async () => {
    const answer = () => ({ roots: [{ uri: 'file:///newer' }] });
    const client = await open({ capabilities: { roots: {} }, workspaceFolders: folders }, { answer });
    expect(await structured(client, 'roots')).toMatchObject({ roots: [{ uri: 'file:///newer' }] });
  });

  test('are those of one session alone', async () => {
    const app = await serve();
    await open({ workspaceFolders: folders }, {}, app);
    const other = await open({}, {}, app);
    expect(await other.error('tools/call', { name: 'roots' })).toBeDefined();
  });
});
