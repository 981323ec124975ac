import { describe, expect, test } from '@jest/globals';
import { Arg, defineTool, Tool, ToolContext } from '../../src/index.js';
import { META } from '../../src/transport/index.js';
import {
  appOf,
  clientOf,
  deferred,
  type Json,
  openSession,
  recordingLogger,
  settled,
  statelessClient,
  textOf,
} from '../harness.js';

const VERSIONS = ['2025-11-25', '2026-07-28'];

describe('progress', () => {
  class Worker {
    context: ToolContext | undefined;

    @Tool()
    work(context: ToolContext) {
      this.context = context;
      context.progress(1, 4, 'first');
      context.progress(1);
      context.progress(0.5);
      context.progress(2);
      context.progress(Number.NaN);
      context.progress(3);
      return 'done';
    }
    @Tool()
    endless(context: ToolContext) {
      context.progress(Infinity);
      context.progress(1, Infinity);
      return 'done';
    }
    @Tool()
    after() {
      this.context?.progress(100);
      this.context?.log.error('late');
      return 'done';
    }
  }

  test('with a message that is no string fails the handler, and the log says so', async () => {
    const logger = recordingLogger();
    const handle = (_args: unknown, context: ToolContext) => context.progress(1, 2, 5 as never);
    const client = await clientOf(
      await appOf({ logger, definitions: [defineTool({ name: 'odd', handle })] }),
      '2026-07-28',
    );
    expect(await client.call('odd', {}, { progressToken: 1 })).toMatchObject({ isError: true });
    expect((logger.lines[0]?.details['err'] as Error).message).toBe(
      'The message of ctx.progress() must be a string',
    );
  });

  test.each(VERSIONS)('is reported only to who gave a token in %s [checklist 41]', async (version) => {
    const client = await clientOf(await appOf({ services: [Worker] }), version);
    await client.call('work');
    await client.call('work', {}, { progressToken: null });
    await client.call('work', {}, { progressToken: {} });
    expect(client.heard('notifications/progress')).toEqual([]);
  });

  test.each(VERSIONS.flatMap((version) => [0, 7, '', 'seven'].map((token) => [version, token] as const)))(
    'increases strictly and carries the token in %s: %j [checklist 41]',
    async (version, progressToken) => {
      const client = await clientOf(await appOf({ services: [Worker] }), version);
      await client.call('work', {}, { progressToken });
      expect(client.heard('notifications/progress')).toEqual([
        { progressToken, progress: 1, total: 4, message: 'first' },
        { progressToken, progress: 2 },
        { progressToken, progress: 3 },
      ]);
    },
  );

  test('leaves out what JSON cannot say', async () => {
    const client = await openSession(await appOf({ services: [Worker] }));
    await client.call('endless', {}, { progressToken: 't' });
    expect(client.heard('notifications/progress')).toEqual([{ progressToken: 't', progress: 1 }]);
  });

  test('comes before the response, and nothing comes after it [checklist 21] [checklist 41]', async () => {
    const client = await openSession(await appOf({ services: [Worker] }));
    await client.call('work', {}, { progressToken: 't' });
    expect(client.messages.at(-1)).toHaveProperty('result');
    const before = client.received.length;
    await client.call('after');
    expect(client.received.length - before).toBe(1);
  });
});

describe('log messages', () => {
  class Logs {
    @Tool()
    speak({ log }: ToolContext) {
      log.debug('d');
      log.info({ a: 1 }, 'part');
      log.notice('n');
      log.warning('w');
      log.error('e');
      log.critical('c');
      log.alert('a');
      log.emergency('y');
      return 'done';
    }
  }
  const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
  const started = appOf({ services: [Logs] });

  test.each(LEVELS)('are sent from the level %s of a session on [checklist 40]', async (level) => {
    const client = await openSession(await started);
    expect(await client.result('logging/setLevel', { level })).toEqual({});
    await client.call('speak');
    const levels = client.heard('notifications/message').map((params) => params?.['level']);
    expect(levels).toEqual(LEVELS.slice(LEVELS.indexOf(level)));
  });

  test.each(LEVELS)('are sent from the level %s of a stateless request on [checklist 40]', async (level) => {
    const client = statelessClient(await started);
    await client.call('speak', {}, { [META.logLevel]: level });
    const levels = client.heard('notifications/message').map((params) => params?.['level']);
    expect(levels).toEqual(LEVELS.slice(LEVELS.indexOf(level)));
  });

  test('are not sent for a stateless request that asked for none [checklist 40]', async () => {
    const client = statelessClient(await started);
    await client.call('speak');
    expect(client.heard('notifications/message')).toEqual([]);
  });

  test('carry data and the name of the part that speaks', async () => {
    const client = await openSession(await started);
    await client.call('speak');
    expect(client.heard('notifications/message')[1]).toEqual({
      level: 'info',
      logger: 'part',
      data: { a: 1 },
    });
  });

  test('always have data, were it null', async () => {
    class Silent {
      @Tool()
      speak({ log }: ToolContext) {
        log.info(undefined);
        return 'done';
      }
    }
    const client = await openSession(await appOf({ services: [Silent] }));
    await client.call('speak');
    expect(client.heard('notifications/message')).toEqual([{ level: 'info', data: null }]);
  });

  const circular: Json = { name: 'loop' };
  circular['self'] = circular;
  const failing = {
    get secret(): string {
      throw new TypeError('no access');
    },
  };
  test.each<[string, unknown, unknown]>([
    ['a BigInt', 12n, '12'],
    ['an object with a BigInt', { count: 12n }, { count: '12' }],
    ['an Error', new RangeError('too far'), { name: 'RangeError', message: 'too far' }],
    ['a Map', new Map([['a', 1]]), { a: 1 }],
    ['a Set', new Set(['a']), ['a']],
    ['bytes', new Uint8Array([1, 2, 3]), 'AQID'],
    ['a function', () => 1, null],
    ['a circular object', circular, "['self' cannot be written as JSON: it contains itself]"],
    ['an object whose getter throws', failing, '[Internal error]'],
  ])('carry %s in a form that JSON has, and the handler goes on', async (_what, data, sent) => {
    class Speaker {
      @Tool()
      speak({ log }: ToolContext) {
        log.info(data);
        log.info('after');
        return 'done';
      }
    }
    const app = await appOf({ services: [Speaker] });
    for (const client of [await openSession(app), statelessClient(app)]) {
      const result = await client.call('speak', {}, { [META.logLevel]: 'info' });
      expect(result).toMatchObject({ content: [{ text: 'done' }] });
      expect(result['isError']).toBeUndefined();
      expect(client.heard('notifications/message')).toEqual([
        { level: 'info', data: sent },
        { level: 'info', data: 'after' },
      ]);
    }
  });

  test('follow the level of their own session [checklist 26] [checklist 40]', async () => {
    const [quiet, loud] = [await openSession(await started), await openSession(await started)];
    await quiet.result('logging/setLevel', { level: 'emergency' });
    await Promise.all([quiet.call('speak'), loud.call('speak')]);
    expect(quiet.heard('notifications/message')).toHaveLength(1);
    expect(loud.heard('notifications/message')).toHaveLength(8);
  });

  test.each([['loud'], [7], [undefined], ['toString']])(
    'have no level %j: it is refused with -32602 [checklist 40]',
    async (level) => {
      const client = await openSession(await started);
      expect(await client.error('logging/setLevel', { level })).toMatchObject({ code: -32602 });
    },
  );
});

describe('cancellation', () => {
  class Slow {
    readonly reasons: unknown[] = [];
    readonly release = deferred();

    @Tool()
    async wait({ signal }: ToolContext) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      this.reasons.push((signal.reason as Error).message);
      return 'late';
    }
    @Tool()
    async deaf(context: ToolContext, @Arg('name') name: string) {
      await this.release.promise;
      if (context.signal.aborted) this.reasons.push('seen late');
      return name;
    }
    @Tool()
    told() {
      return this.reasons;
    }
    @Tool()
    go() {
      this.release.resolve();
      return 'gone';
    }
  }

  test.each(VERSIONS)(
    'aborts the signal and ends without a response in %s [checklist 48]',
    async (version) => {
      const client = await clientOf(await appOf({ services: [Slow] }), version);
      client.start('tools/call', { name: 'wait' }, 'w');
      await settled();
      client.notify('notifications/cancelled', { requestId: 'w', reason: 'changed my mind' });
      await settled();
      expect((await client.call('told'))['structuredContent']).toEqual(
        version === '2026-07-28' ? ['changed my mind'] : { result: ['changed my mind'] },
      );
      expect(client.messages.filter(({ id }) => id === 'w')).toEqual([]);
    },
  );

  test('of a handler that goes on regardless shows in a signal it asks for later', async () => {
    const client = await openSession(await appOf({ services: [Slow] }));
    client.start('tools/call', { name: 'deaf', arguments: { name: 'x' } }, 'd');
    await settled();
    client.notify('notifications/cancelled', { requestId: 'd' });
    await client.call('go');
    await settled();
    expect((await client.call('told'))['structuredContent']).toEqual({ result: ['seen late'] });
    expect(client.messages.filter(({ id }) => id === 'd')).toEqual([]);
  });

  test.each([['nobody'], [undefined], [{}], [null]])(
    'of the unknown request %j is ignored',
    async (requestId) => {
      const client = await openSession(await appOf({ services: [Slow] }));
      client.start('tools/call', { name: 'deaf', arguments: { name: 'x' } }, 1234);
      client.notify('notifications/cancelled', { requestId });
      client.notify('notifications/cancelled');
      await client.call('go');
      expect(textOf((await client.response(1234)).result ?? {})).toBe('x');
    },
  );

  test('of a number leaves a string that looks the same alone', async () => {
    const client = await openSession(await appOf({ services: [Slow] }));
    client.start('tools/call', { name: 'deaf', arguments: { name: 'number' } }, 1234);
    client.start('tools/call', { name: 'deaf', arguments: { name: 'string' } }, '1234');
    await settled();
    client.notify('notifications/cancelled', { requestId: 1234 });
    await client.call('go');
    expect(textOf((await client.response('1234')).result ?? {})).toBe('string');
    expect(client.messages.filter(({ id }) => id === 1234)).toEqual([]);
  });

  test('of one connection does not reach another', async () => {
    const app = await appOf({ services: [Slow] });
    const [one, other] = [await openSession(app), await openSession(app)];
    one.start('tools/call', { name: 'deaf', arguments: { name: 'x' } }, 'same');
    await settled();
    other.notify('notifications/cancelled', { requestId: 'same' });
    await other.call('go');
    expect(textOf((await one.response('same')).result ?? {})).toBe('x');
  });
});

describe('requests in flight', () => {
  test('with equal ids get an answer each [checklist 25]', async () => {
    const gate = deferred();
    class Slow {
      @Tool()
      async slow(@Arg('name') name: string) {
        await gate.promise;
        return name;
      }
    }
    const client = await openSession(await appOf({ services: [Slow] }));
    for (const name of ['a', 'b']) client.start('tools/call', { name: 'slow', arguments: { name } }, 'same');
    await settled();
    gate.resolve();
    await settled();
    const answers = client.messages
      .filter(({ id }) => id === 'same')
      .map(({ result }) => textOf(result ?? {}));
    expect(answers.sort()).toEqual(['a', 'b']);
  });

  test.each(VERSIONS)('beyond the limit are refused, and served again later, in %s', async (version) => {
    const gate = deferred();
    class Slow {
      @Tool()
      async slow() {
        await gate.promise;
        return 'done';
      }
    }
    const client = await clientOf(await appOf({ services: [Slow], limits: { maxInFlight: 2 } }), version);
    client.start('tools/call', { name: 'slow' }, 'a');
    client.start('tools/call', { name: 'slow' }, 'b');
    expect(await client.error('tools/call', { name: 'slow' })).toMatchObject({ code: -32603 });
    gate.resolve();
    await client.response('a');
    await client.response('b');
    expect(textOf(await client.call('slow'))).toBe('done');
  });
});

test.each(VERSIONS)('progress and log messages have the _meta of their author: %s', async (version) => {
  class Speaker {
    @Tool()
    speak(context: ToolContext) {
      const _meta = { 'com.example/part': 1, [META.serverInfo]: 'mine' };
      context.progress(1, 2, 'half', _meta);
      context.log.info('said', 'part', _meta);
      return 'done';
    }
  }
  const client = await clientOf(await appOf({ services: [Speaker] }), version);
  await client.call('speak', {}, { progressToken: 'a', [META.logLevel]: 'info' });
  const _meta = { 'com.example/part': 1 };
  expect(client.heard('notifications/progress')).toEqual([expect.objectContaining({ _meta })]);
  expect(client.heard('notifications/message')).toEqual([
    { level: 'info', logger: 'part', data: 'said', _meta },
  ]);
});
