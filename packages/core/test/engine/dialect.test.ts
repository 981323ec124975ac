import { describe, expect, test } from '@jest/globals';
import { type App, Tool, ToolContext } from '../../src/index.js';
import {
  appOf,
  Client,
  type ClientOptions,
  deferred,
  type Json,
  openSession,
  settled,
  statelessClient,
  textOf,
} from '../harness.js';

const FORM = { type: 'object', properties: { name: { type: 'string' } } };
const OLD_NAMES = [
  'initialized',
  '$/cancelled',
  '$/progress',
  'logging/set_level',
  'sampling/create_message',
  'elicitation/request',
];

class Services {
  readonly cancelled = deferred();
  readonly go = deferred();

  @Tool()
  work(context: ToolContext) {
    context.progress(1, 4, 'first');
    context.log.notice('n');
    context.log.warning({ a: 1 }, 'part');
    context.log.emergency('e');
    return 'done';
  }
  @Tool()
  async later(context: ToolContext) {
    await this.go.promise;
    context.progress(2);
    return 'late';
  }
  @Tool()
  release() {
    this.go.resolve();
    return 'released';
  }
  @Tool()
  async wait({ signal }: ToolContext) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    this.cancelled.resolve();
    return 'late';
  }
  @Tool()
  async aborted() {
    await this.cancelled.promise;
    return 'yes';
  }
  @Tool()
  async sample(context: ToolContext) {
    const { content } = await context.sample({ messages: [], maxTokens: 1 });
    return (content as { text: string }).text;
  }
  @Tool()
  async elicit(context: ToolContext) {
    return (await context.elicit('Who?', FORM)).action;
  }
  @Tool()
  async hurry(context: ToolContext) {
    await context.elicit('Who?', FORM, { timeoutMs: 20 }).catch(() => undefined);
    return 'gave up';
  }
  @Tool()
  async patient(context: ToolContext) {
    return (await context.elicit('Who?', FORM, { timeoutMs: 1_000 })).action;
  }
}

const CAPABILITIES = { elicitation: {}, sampling: {} };
const serve = (): Promise<App> => appOf({ services: [Services] });

/** A client that has shaken hands in the older dialect. */
async function openOldSession(app: App, options: ClientOptions = {}): Promise<Client> {
  const client = new Client(app, options);
  await client.result('initialize', { protocolVersion: '2025-06-18', capabilities: CAPABILITIES });
  client.notify('initialized');
  return client;
}

const answer = ({ method }: { method?: string }): Json | undefined => {
  if (method === 'sampling/create_message')
    return { role: 'assistant', model: 'm', content: { type: 'text', text: 'sampled' } };
  return method === 'elicitation/request' ? { action: 'decline' } : undefined;
};

describe('a session in the older dialect', () => {
  test('is open once its client says "initialized"', async () => {
    const app = await serve();
    const client = await openOldSession(app);
    await settled();
    app.tools.remove('release');
    await settled();
    expect(client.heard('notifications/tools/list_changed')).toHaveLength(1);
  });

  test('hears of progress and log messages in its words', async () => {
    const client = await openOldSession(await serve());
    await client.call('work', {}, { progressToken: 't' });
    expect(client.heard('$/progress')).toEqual([
      { token: 't', value: { progress: 1, total: 4, message: 'first' } },
    ]);
    expect(client.heard('notifications/message')).toEqual([
      { level: 'info', message: 'n' },
      { level: 'warn', logger: 'part', message: '{"a":1}' },
      { level: 'error', message: 'e' },
    ]);
    expect(client.heard('notifications/progress')).toEqual([]);
  });

  test.each([
    ['error', ['error']],
    ['warn', ['warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['trace', ['info', 'warn', 'error']],
  ])('sets the level %s by "logging/set_level"', async (level, heard) => {
    const client = await openOldSession(await serve());
    expect(await client.result('logging/set_level', { level })).toEqual({});
    await client.call('work');
    expect(client.heard('notifications/message').map((params) => params?.['level'])).toEqual(heard);
  });

  test('is refused a level that is none', async () => {
    const client = await openOldSession(await serve());
    expect(await client.error('logging/set_level', { level: 'loud' })).toMatchObject({ code: -32602 });
  });

  test('cancels by "$/cancelled"', async () => {
    const client = await openOldSession(await serve());
    client.start('tools/call', { name: 'wait' }, 'w');
    await settled();
    client.notify('$/cancelled', { id: 'w' });
    expect(textOf(await client.call('aborted'))).toBe('yes');
    expect(client.messages.filter(({ id }) => id === 'w')).toEqual([]);
  });

  test('is asked for a message and for a form by the old names', async () => {
    const client = await openOldSession(await serve(), { answer });
    expect(textOf(await client.call('sample'))).toBe('sampled');
    expect(textOf(await client.call('elicit'))).toBe('decline');
    const asked = client.messages.filter(({ id, method }) => id !== undefined && method !== undefined);
    expect(asked.map(({ method }) => method)).toEqual(['sampling/create_message', 'elicitation/request']);
  });

  test('is told by "$/cancelled" that nobody waits for its answer any more', async () => {
    const client = await openOldSession(await serve());
    expect(textOf(await client.call('hurry'))).toBe('gave up');
    const { id } = await client.waitFor(({ method }) => method === 'elicitation/request');
    expect(client.heard('$/cancelled')).toEqual([{ id, reason: expect.any(String) }]);
  });

  test('buys time for its answer by "$/progress"', async () => {
    const client = await openOldSession(await serve());
    const call = client.call('patient');
    const { id } = await client.waitFor(({ method }) => method === 'elicitation/request');
    for (let step = 1; step <= 4; step++) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      client.notify('$/progress', { token: id, value: step });
    }
    client.send({ jsonrpc: '2.0', id, result: { action: 'cancel' } });
    expect(textOf(await call)).toBe('cancel');
  });

  test('begins in the middle, for what is in flight too', async () => {
    const client = await openSession(await serve());
    await client.call('work', {}, { progressToken: 1 });
    expect(client.heard('notifications/progress')).toHaveLength(1);
    client.start('tools/call', { name: 'later', _meta: { progressToken: 2 } }, 'l');
    await client.result('logging/set_level', { level: 'error' });
    await client.call('release');
    await client.response('l');
    expect(client.heard('$/progress')).toEqual([{ token: 2, value: { progress: 2 } }]);
    expect(client.heard('notifications/progress')).toHaveLength(1);
  });
});

describe('whoever does not speak the older dialect', () => {
  test('hears nothing of it', async () => {
    const app = await serve();
    await openOldSession(app);
    const client = await openSession(app, '2025-06-18', CAPABILITIES);
    await client.call('work', {}, { progressToken: 't' });
    await client.call('hurry');
    expect(client.heard('notifications/progress')).toHaveLength(1);
    expect(client.heard('notifications/message').map((params) => params?.['level'])).toEqual([
      'notice',
      'warning',
      'emergency',
    ]);
    expect(client.heard('notifications/cancelled')).toHaveLength(1);
    const names = client.messages.map(({ method }) => method);
    expect(names.filter((name) => OLD_NAMES.includes(String(name)))).toEqual([]);
  });

  test('stays so whatever unknown names it uses', async () => {
    const client = await openSession(await serve());
    expect(await client.error('logging/no_such')).toMatchObject({
      code: -32601,
      message: 'Method not found: logging/no_such',
    });
    client.notify('$/unheard', { id: 1 });
    await client.call('work', {}, { progressToken: 't' });
    expect(client.heard('notifications/progress')).toHaveLength(1);
  });

  test.each(OLD_NAMES)('cannot use %s without a session', async (method) => {
    const client = new Client(await serve());
    client.notify(method);
    expect(await client.error(method)).toMatchObject({ code: -32602 });
    // What was said before the session does not decide how it is spoken to.
    await client.result('initialize', { protocolVersion: '2025-06-18', capabilities: {} });
    await client.call('work', {}, { progressToken: 't' });
    expect(client.heard('notifications/progress')).toHaveLength(1);
  });

  test.each(OLD_NAMES)('cannot claim 2026-07-28 and use %s', async (method) => {
    const app = await serve();
    expect(await statelessClient(app).error(method)).toEqual({
      code: -32601,
      message: `Method not found: ${method}`,
    });
    const client = await openSession(app);
    const { envelope: _meta } = statelessClient(app);
    expect(await client.error(method, { _meta })).toMatchObject({ code: -32601 });
    await client.call('work', {}, { progressToken: 't' });
    expect(client.heard('notifications/progress')).toHaveLength(1);
  });
});
