import { describe, expect, test } from '@jest/globals';
import {
  defineResource,
  defineTool,
  ERROR_CODES,
  ProtocolError,
  Resource,
  Tool,
  ToolContext,
  UrlElicitationRequiredError,
} from '../../src/index.js';
import {
  appOf,
  Client,
  openSession,
  type Message,
  recordingLogger,
  settled,
  statelessClient,
} from '../harness.js';

const hello = () => defineTool({ name: 'hello', handle: () => 'hello' });

describe('a session', () => {
  class Echo {
    @Tool()
    echo() {
      return 'echo';
    }
  }

  test('hears nothing it did not ask for before its client has said that it is ready', async () => {
    const app = await appOf({ services: [Echo] });
    const client = new Client(app);
    const info = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    await client.result('initialize', info);
    app.tools.add(hello());
    await settled();
    expect(client.heard('notifications/tools/list_changed')).toEqual([]);
    client.notify('notifications/initialized');
    await settled();
    app.tools.remove('hello');
    await settled();
    expect(client.heard('notifications/tools/list_changed')).toHaveLength(1);
  });

  test('hears of changes only where it was told that there would be any', async () => {
    class Text {
      @Resource('text://one')
      one() {
        return '1';
      }
    }
    const app = await appOf({ services: [Text] });
    const client = await openSession(app);
    app.tools.add(hello());
    await settled();
    expect(client.heard('notifications/tools/list_changed')).toEqual([]);
  });

  test('is asked for a sign of life by a handler, and a stateless client is not', async () => {
    class Watch {
      @Tool()
      async watch(context: ToolContext) {
        await context.ping({ timeoutMs: 1000 });
        return 'alive';
      }
    }
    const asked: string[] = [];
    const answer = (request: Message) => {
      asked.push(String(request.method));
      return {};
    };
    const app = await appOf({ services: [Watch] });
    const client = await openSession(app, '2025-06-18', {}, { answer });
    expect(await client.call('watch')).toMatchObject({ content: [{ text: 'alive' }] });
    expect(await statelessClient(app).call('watch')).toMatchObject({ content: [{ text: 'alive' }] });
    expect(asked).toEqual(['ping']);
  });
});

describe('a question', () => {
  class Asking {
    @Tool()
    async think(context: ToolContext) {
      const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hi' } }];
      const { model } = await context.sample(
        { messages, maxTokens: 1 },
        { timeoutMs: 600, maxTimeoutMs: 3_000 },
      );
      return model;
    }
  }
  const thought = { role: 'assistant', content: { type: 'text', text: 'Hm' }, model: 'm' };

  /** A client that reports progress every 200 ms and answers after so many reports, or never. */
  async function thinker(reports: number): Promise<Client> {
    const client: Client = await openSession(
      await appOf({ services: [Asking] }),
      '2025-11-25',
      { sampling: {} },
      {
        answer: ({ params }: Message) => {
          const { progressToken } = params?.['_meta'] as { progressToken: number };
          return new Promise((resolve) => {
            let progress = 0;
            const timer = setInterval(() => {
              client.notify('notifications/progress', { progressToken, progress: ++progress });
              if (progress < reports) return;
              clearInterval(timer);
              resolve(thought);
            }, 200);
            timer.unref();
          });
        },
      },
    );
    return client;
  }

  test('has as long as its client reports progress', async () => {
    expect(await (await thinker(6)).call('think')).toMatchObject({ content: [{ text: 'm' }] });
  });

  test('has no longer than its hard limit', async () => {
    const result = await (await thinker(1000)).call('think');
    expect(result).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'The client did not answer within 3000 ms' }],
    });
  });
});

describe('an app', () => {
  test('is told when a resource gets its first subscriber and loses its last', async () => {
    const texts = defineResource({ name: 'texts', uri: 'text://{name}', handle: () => 'text' });
    const app = await appOf({ definitions: [texts] });
    const heard: string[] = [];
    app.on('subscribed', (uri) => heard.push(`+${uri}`));
    const stop = app.on('unsubscribed', (uri) => heard.push(`-${uri}`));
    const [one, other] = [await openSession(app), await openSession(app)];
    const uri = 'text://a';
    await one.result('resources/subscribe', { uri });
    await one.result('resources/subscribe', { uri });
    await other.result('resources/subscribe', { uri });
    await one.result('resources/unsubscribe', { uri });
    expect(heard).toEqual(['+text://a']);
    await other.close();
    expect(heard).toEqual(['+text://a', '-text://a']);
    stop();
    await one.result('resources/subscribe', { uri });
    await one.result('resources/unsubscribe', { uri });
    expect(heard).toEqual(['+text://a', '-text://a', '+text://a']);
  });

  test('is told when a client shares other roots', async () => {
    const app = await appOf({ definitions: [hello()] });
    const names: unknown[] = [];
    app.on('rootsChanged', ({ info }) => names.push(info?.name));
    const client = await openSession(app, '2025-11-25', { roots: { listChanged: true } });
    client.notify('notifications/roots/list_changed');
    await settled();
    expect(names).toHaveLength(1);
  });

  test.each<[string, () => unknown]>([
    [
      'fails',
      () => {
        throw new Error('broken');
      },
    ],
    ['fails later', () => Promise.reject(new Error('broken'))],
  ])('is not stopped by a listener that %s', async (_what, listener) => {
    const logger = recordingLogger();
    const app = await appOf({ definitions: [hello()], logger });
    app.on('rootsChanged', listener);
    const client = await openSession(app);
    client.notify('notifications/roots/list_changed');
    await settled();
    expect(await client.call('hello')).toMatchObject({ content: [{ text: 'hello' }] });
    expect(logger.lines).toHaveLength(1);
  });

  test('logs where it logs, and to no client: what it says is addressed to none', async () => {
    const logger = recordingLogger();
    const app = await appOf({ definitions: [hello()], logger });
    const curious = await openSession(app);
    await curious.result('logging/setLevel', { level: 'warning' });
    app.logger.info('started');
    app.logger.warn({ disk: 'full' }, 'trouble');
    app.logger.error('down');
    await settled();
    expect(curious.heard('notifications/message')).toEqual([]);
    expect(logger.lines).toHaveLength(3);
  });

  test('tells a client that a page it sent the user to has done its work', async () => {
    class SignIn {
      @Tool()
      async signIn(context: ToolContext) {
        return (await context.elicitUrl('Sign in', 'https://example.com'))?.elicitationId;
      }
    }
    const app = await appOf({ services: [SignIn] });
    const client = await openSession(
      app,
      '2025-11-25',
      { elicitation: { url: {} } },
      { answer: () => ({ action: 'accept' }) },
    );
    const { content } = await client.call('sign_in');
    const elicitationId = (content as { text: string }[])[0]?.text ?? '';
    expect(app.completeElicitation(elicitationId)).toBe(true);
    expect(app.completeElicitation(elicitationId)).toBe(false);
    await settled();
    expect(client.heard('notifications/elicitation/complete')).toEqual([{ elicitationId }]);
  });
});

describe('an error', () => {
  class Failing {
    @Tool()
    visit() {
      throw new UrlElicitationRequiredError([{ message: 'Sign in', url: 'https://example.com' }]);
    }
    @Tool()
    missing() {
      throw new ProtocolError(-32002, 'Gone', { uri: 'a://b' });
    }
    @Tool()
    modern() {
      throw new ProtocolError(-32020, 'Headers');
    }
  }

  test.each([
    ['2025-06-18', -32600, -32002, -32600],
    ['2025-11-25', -32042, -32002, -32600],
    ['2026-07-28', -32600, -32602, -32020],
  ])('has a code that %s knows [checklist 50]', async (version, visit, missing, modern) => {
    const app = await appOf({ services: [Failing] });
    const client = version === '2026-07-28' ? statelessClient(app) : await openSession(app, version);
    const codes = [];
    for (const name of ['visit', 'missing', 'modern'])
      codes.push((await client.error('tools/call', { name })).code);
    expect(codes).toEqual([visit, missing, modern]);
  });

  test('has no code of our own among those that JSON-RPC reserves [checklist 50]', () => {
    const jsonRpc = [-32700, -32600, -32601, -32602, -32603];
    // -32001 is what the official SDKs answer a request with that takes too long.
    const specified = [-32001, -32002, -32020, -32021, -32022, -32042];
    // Outside of what JSON-RPC reserves: the specification has none yet for a missing scope, and for too many calls.
    const own = [403, 429];
    expect(new Set(Object.values(ERROR_CODES))).toEqual(new Set<number>([...jsonRpc, ...specified, ...own]));
  });

  test('that names pages to visit gives each an id', async () => {
    const client = await openSession(await appOf({ services: [Failing] }));
    const { data } = await client.error('tools/call', { name: 'visit' });
    const elicitation = { mode: 'url', message: 'Sign in', url: 'https://example.com' };
    expect(data).toEqual({ elicitations: [{ ...elicitation, elicitationId: expect.stringMatching(/./) }] });
  });
});
