import { describe, expect, test } from '@jest/globals';
import {
  consoleLogger,
  InputResponseError,
  defineTool,
  RequestContext,
  Service,
  Tool,
  ToolContext,
  type Logger,
} from '../../src/index.js';
import { appOf, deferred, openSession, problemsOf, statelessClient, textOf, until } from '../harness.js';

const ABLE = { elicitation: { form: {} }, sampling: {}, roots: {} };
const form = { type: 'object', properties: {} } as const;

describe('after a request has been answered', () => {
  test.each(['elicit', 'sample', 'roots', 'ask', 'ping'] as const)(
    'a client of a session is asked nothing any more: %s() fails at once',
    async (what) => {
      let late: Promise<unknown> | undefined;
      const handle = (_args: object, context: RequestContext) => {
        setTimeout(() => {
          late = {
            elicit: () => context.elicit('late', form),
            sample: () => context.sample({ messages: [], maxTokens: 1 }),
            roots: () => context.roots(),
            ask: () => context.ask({}),
            ping: () => context.ping(),
          }[what]();
        }, 5);
        return 'done';
      };
      const client = await openSession(
        await appOf({ definitions: [defineTool({ name: 'late', handle })] }),
        '2025-11-25',
        ABLE,
      );
      expect(textOf(await client.call('late'))).toBe('done');
      const sent = client.messages.length;
      await new Promise((resolve) => setTimeout(resolve, 20));
      const error: unknown = await late?.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(InputResponseError);
      expect(error).toMatchObject({ reason: 'gone' });
      expect(client.messages).toHaveLength(sent);
    },
  );

  test('no service of the request is made any more, which nothing would dispose of', async () => {
    let made = 0;
    @Service({ scope: 'request' })
    class Connection {
      constructor() {
        made += 1;
      }
    }
    const outcome = deferred<unknown>();
    class Tools {
      @Tool()
      late(context: ToolContext): string {
        setTimeout(() => {
          try {
            outcome.resolve(context.resolve(Connection));
          } catch (error) {
            outcome.resolve(error);
          }
        }, 5);
        return 'done';
      }
    }
    await (await openSession(await appOf({ services: [Tools] }))).call('late');
    expect(await outcome.promise).toMatchObject({
      message: 'ctx.resolve() was called after the handler had ended',
    });
    expect(made).toBe(0);
  });
});

describe.each(['2025-11-25', '2026-07-28'])('a request in flight when the app closes, in %s', (version) => {
  test('is answered with an error, and its signal aborts', async () => {
    let signal: AbortSignal | undefined;
    const hold = defineTool({
      name: 'hold',
      handle: (_args, context) => {
        signal = context.signal;
        return new Promise<string>(() => undefined);
      },
    });
    const app = await appOf({ definitions: [hold] });
    const client = version === '2026-07-28' ? statelessClient(app) : await openSession(app, version);
    client.start('tools/call', { name: 'hold' }, 'held');
    await app.close();
    expect((await client.response('held')).error).toEqual({ code: -32603, message: 'The server is closing' });
    expect(signal?.aborted).toBe(true);
  });
});

describe('a logger that fails', () => {
  const broken = (fail: () => unknown): Logger => {
    const method = fail as () => void;
    return { debug: method, info: method, warn: method, error: method };
  };

  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('the worker has exited');
      },
    ],
    ['rejects', () => Promise.reject(new Error('the worker has exited'))],
  ])('and %s costs no answer', async (_how, fail) => {
    const printed: unknown[] = [];
    const { error } = console;
    console.error = (...args: unknown[]) => void printed.push(...args);
    const boom = defineTool({
      name: 'boom',
      handle() {
        throw new Error('secret');
      },
    });
    try {
      const client = await openSession(await appOf({ definitions: [boom], logger: broken(fail) }));
      expect(await client.call('boom')).toMatchObject({ isError: true });
      await until(() => printed.length > 0);
    } finally {
      console.error = error;
    }
    expect(JSON.stringify(printed)).toContain('the logger failed');
  });

  test('and the console itself costs no answer where an error cannot be read', async () => {
    const printed: unknown[] = [];
    const { error } = console;
    console.error = (...args: unknown[]) => void printed.push(args);
    const boom = defineTool({
      name: 'boom',
      handle() {
        const mute = new Error('mute');
        const get = (): never => {
          throw new Error('a trap');
        };
        Object.defineProperty(mute, 'stack', { get });
        throw mute;
      },
    });
    try {
      const client = await openSession(await appOf({ definitions: [boom], logger: consoleLogger }));
      expect(await client.call('boom')).toMatchObject({ isError: true });
      await until(() => printed.length > 0);
    } finally {
      console.error = error;
    }
    expect(printed).toEqual([['a handler failed unexpectedly', 'whose details cannot be read']]);
  });

  test('is refused at start when it has no methods', async () => {
    expect(await problemsOf({ logger: {} as Logger })).toEqual([
      expect.objectContaining({ where: 'createApp({ logger })' }),
    ]);
  });
});
