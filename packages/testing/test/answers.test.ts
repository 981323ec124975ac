import { describe, expect, test } from '@jest/globals';
import { InputResponseError, createApp, ProtocolError, Tool, ToolContext } from '@sigil/core';
import { type ClientCapabilities, PROTOCOL_VERSIONS } from '@sigil/core/protocol';
import { type Answers, connect, type ElicitRequest, textOf } from '../src/index.js';

const NAME_FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

class Host {
  @Tool()
  async greet(context: ToolContext): Promise<string> {
    const answer = await context.elicit('Who are you?', NAME_FORM);
    return answer.action === 'accept'
      ? `Hello ${String(answer.content?.['name'])}`
      : `You said ${answer.action}`;
  }

  @Tool()
  async signIn(context: ToolContext): Promise<string> {
    return (await context.elicitUrl('Sign in', 'https://example.org/login')).action;
  }

  @Tool()
  async think(context: ToolContext): Promise<string> {
    const messages = [{ role: 'user', content: { type: 'text', text: 'Why?' } }] as const;
    const asked = context.sample({ messages, maxTokens: 10 });
    // What a server makes of a refusal is its own affair; these tests look at what reaches it.
    const answer = await asked.catch((error: unknown) => {
      if (!(error instanceof InputResponseError)) throw error;
      return { content: { reason: error.reason, message: error.message } };
    });
    return JSON.stringify(answer.content);
  }

  @Tool()
  async look(context: ToolContext): Promise<string> {
    return (await context.roots()).map(({ uri }) => uri).join();
  }

  @Tool()
  abilities(context: ToolContext): ClientCapabilities {
    return context.client.capabilities;
  }
}

const ALL: Answers = {
  onElicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
  onSample: () => ({ role: 'assistant', content: { type: 'text', text: 'Because.' }, model: 'oracle' }),
  roots: [{ uri: 'file:///desk', name: 'desk' }],
};

const host = () => createApp({ name: 'host', version: '1.0.0', services: [Host] });

describe('capabilities', () => {
  const abilitiesIn = async (revision: (typeof PROTOCOL_VERSIONS)[number], options: object) => {
    await using app = await host();
    await using client = await connect(app, { revision, ...options });
    return JSON.parse(textOf(await client.callTool('abilities'))) as unknown;
  };

  test.each([
    ['2024-11-05', { sampling: {}, roots: {} }],
    ['2025-03-26', { sampling: {}, roots: {} }],
    ['2025-06-18', { elicitation: {}, sampling: {}, roots: {} }],
    ['2025-11-25', { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} }],
    ['2026-07-28', { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} }],
  ] as const)('of %s follow from the answers', async (revision, expected) => {
    expect(await abilitiesIn(revision, ALL)).toEqual(expected);
    expect(await abilitiesIn(revision, {})).toEqual({});
  });

  test.each(PROTOCOL_VERSIONS)('of %s are those given, when any are', async (revision) => {
    expect(await abilitiesIn(revision, { ...ALL, capabilities: { roots: {} } })).toEqual({ roots: {} });
  });
});

describe.each(PROTOCOL_VERSIONS.slice(0, 4))('answers in %s', (revision) => {
  test('stand for the model and the shared directories', async () => {
    await using app = await host();
    await using client = await connect(app, { revision, ...ALL });
    expect(textOf(await client.callTool('think'))).toBe('{"type":"text","text":"Because."}');
    expect(textOf(await client.callTool('look'))).toBe('file:///desk');
  });

  test('are refused where a capability has none behind it', async () => {
    await using app = await host();
    await using client = await connect(app, { revision, capabilities: { sampling: {} } });
    expect(JSON.parse(textOf(await client.callTool('think')))).toEqual({
      reason: 'refused',
      message: 'The client refused: The test client has no answer to sampling/createMessage',
    });
  });

  test('that throw become errors of the client', async () => {
    await using app = await host();
    const refused = new ProtocolError(-1, 'The user said no', { why: 'tired' });
    await using client = await connect(app, { revision, onSample: () => Promise.reject(refused) });
    expect(JSON.parse(textOf(await client.callTool('think')))).toEqual({
      reason: 'refused',
      message: 'The client refused: The user said no',
    });
  });
});

describe.each(['2025-06-18', '2025-11-25'] as const)('elicitation in %s', (revision) => {
  test('is answered by the test', async () => {
    await using app = await host();
    const seen: ElicitRequest[] = [];
    await using client = await connect(app, {
      revision,
      onElicit: (request) => {
        seen.push(request);
        return seen.length === 1 ? { action: 'accept', content: { name: 'Grace' } } : { action: 'decline' };
      },
    });
    expect(textOf(await client.callTool('greet'))).toBe('Hello Grace');
    expect(textOf(await client.callTool('greet'))).toBe('You said decline');
    expect(seen[0]).toMatchObject({ message: 'Who are you?', requestedSchema: NAME_FORM });
  });
});

test('pages are opened by the answer that fills in forms', async () => {
  await using app = await host();
  const onElicit = ({ mode, url }: ElicitRequest) =>
    mode === 'url' && url === 'https://example.org/login'
      ? ({ action: 'accept' } as const)
      : ({ action: 'cancel' } as const);
  await using client = await connect(app, { revision: '2025-11-25', onElicit });
  expect(textOf(await client.callTool('sign_in'))).toBe('accept');
});
