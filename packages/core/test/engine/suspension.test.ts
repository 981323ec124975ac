import { describe, expect, test } from '@jest/globals';
import { IsBoolean } from 'class-validator';
import {
  Arg,
  ask,
  inject,
  isSuspension,
  type Middleware,
  type NextFunction,
  Prompt,
  PromptContext,
  RequestContext,
  Resource,
  ResourceContext,
  Service,
  Suspension,
  Tool,
  ToolContext,
  UseMiddleware,
} from '../../src/index.js';
import { ERAS, partnerOf } from '../conversation.js';
import {
  appOf,
  type Json,
  openSession,
  recordingLogger,
  settled,
  statelessClient,
  textOf,
} from '../harness.js';

const ABLE = { elicitation: { form: {} }, sampling: {}, roots: {} };
const REVISIONS = ['2025-06-18', '2025-11-25', '2026-07-28'];

class Consent {
  @IsBoolean() sure!: boolean;
}

const yes = () => ({ action: 'accept', content: { sure: true } });

/** A pool that hands out two connections and no more. */
class Pool {
  inUse = 0;
  readonly log: string[] = [];

  connect(): { query(sql: string): void; release(): void } {
    if (this.inUse === 2) throw new Error('no connection is free');
    this.inUse += 1;
    return {
      query: (sql) => void this.log.push(sql),
      release: () => void (this.inUse -= 1),
    };
  }
}

describe.each(REVISIONS)('a handler that asks a client of %s', (version) => {
  test('gives back what it holds, however often it asks [checklist 57]', async () => {
    const pool = new Pool();
    class Orders {
      @Tool()
      async place(context: ToolContext) {
        const client = pool.connect();
        try {
          client.query('begin');
          const answer = await context.elicit('Sure?', Consent);
          client.query('commit');
          return answer.action;
        } finally {
          client.release();
        }
      }
    }
    const partner = await partnerOf(await appOf({ services: [Orders] }), version, yes, ABLE);
    for (let call = 0; call < 5; call++) expect(await partner.text('place')).toBe('accept');
    expect(pool.inUse).toBe(0);
    expect(pool.log.filter((sql) => sql === 'commit')).toHaveLength(5);
  });

  test('unwinds through `using`, middleware and the services of the request, in that order', async () => {
    const steps: string[] = [];
    @Service({ scope: 'request' })
    class Unit {
      onClose() {
        steps.push('unit closed');
      }
    }
    class Timing implements Middleware {
      async handle(_context: RequestContext, next: NextFunction) {
        try {
          return await next();
        } finally {
          steps.push('middleware');
        }
      }
    }
    @Service({ scope: 'request' })
    class Orders {
      readonly unit = inject(Unit);
      @Tool()
      @UseMiddleware(Timing)
      async place(context: ToolContext) {
        const lock = {
          [Symbol.asyncDispose]: async () => {
            await settled();
            steps.push('lock');
          },
        };
        await using _lock = lock;
        const { action } = await context.elicit('Sure?', Consent);
        return action;
      }
    }
    const partner = await partnerOf(await appOf({ services: [Orders] }), version, yes, ABLE);
    expect(await partner.text('place')).toBe('accept');
    await settled();
    const round = ['lock', 'middleware', 'unit closed'];
    expect(steps).toEqual(version === '2026-07-28' ? [...round, ...round] : round);
  });
});

describe('a suspension', () => {
  test('is no error, and known as what it is', async () => {
    const thrown: unknown[] = [];
    class Orders {
      @Tool()
      async place(context: ToolContext) {
        try {
          return (await context.elicit('Sure?', Consent)).action;
        } catch (error) {
          thrown.push(error);
          throw error;
        }
      }
    }
    await statelessClient(await appOf({ services: [Orders] }), ABLE).call('place');
    expect(thrown).toHaveLength(1);
    expect(thrown[0]).toBeInstanceOf(Suspension);
    expect(thrown[0]).not.toBeInstanceOf(Error);
    expect(isSuspension(thrown[0])).toBe(true);
    expect(String(thrown[0])).toContain('if you catch this value, rethrow it');
    expect([isSuspension(new Error('x')), isSuspension(null), isSuspension('Suspension')]).toEqual([
      false,
      false,
      false,
    ]);
  });

  test('closes the context: whatever is asked, made or reported after it throws the same', async () => {
    const caught: unknown[] = [];
    class Orders {
      @Tool()
      async place(context: ToolContext) {
        const attempts = [
          () => context.elicit('Sure?', Consent),
          () => context.roots(),
          () => context.ask({}),
          () => context.once('key', () => 1),
          async () => context.progress(1),
          () => context.ping(),
        ];
        for (const attempt of attempts) await attempt().catch((error: unknown) => caught.push(error));
      }
    }
    const client = statelessClient(await appOf({ services: [Orders] }), ABLE);
    const result = await client.call('place', {}, { progressToken: 't' });
    expect(Object.keys(result['inputRequests'] as Json)).toEqual(['question-1']);
    expect(caught).toHaveLength(6);
    expect(new Set(caught).size).toBe(1);
    expect(client.heard('notifications/progress')).toEqual([]);
  });

  test('that a handler swallows is answered all the same, and its definition is named once', async () => {
    const logger = recordingLogger();
    class Orders {
      @Tool()
      async place(context: ToolContext) {
        try {
          return (await context.elicit('Sure?', Consent)).action;
        } catch {
          return 'could not ask';
        }
      }
      @Tool()
      async wrap(context: ToolContext) {
        try {
          return (await context.elicit('Sure?', Consent)).action;
        } catch (error) {
          throw new Error('failed', { cause: error });
        }
      }
      @Prompt()
      async greet(context: PromptContext) {
        return context.elicit('Sure?', Consent).then(
          ({ action }) => action,
          () => 'could not ask',
        );
      }
      @Resource('x://y')
      async read(context: ResourceContext) {
        return context.elicit('Sure?', Consent).catch(() => undefined);
      }
    }
    const partner = await partnerOf(await appOf({ services: [Orders], logger }), '2026-07-28', yes, ABLE);
    for (let call = 0; call < 2; call++) {
      expect(await partner.text('place')).toBe('accept');
      expect(await partner.text('wrap')).toBe('accept');
      expect((await partner.request('prompts/get', { name: 'greet' })).result).toMatchObject({
        messages: [{ content: { text: 'accept' } }],
      });
      expect((await partner.request('resources/read', { uri: 'x://y' })).result).toMatchObject({
        contents: [{ text: expect.stringContaining('accept') }],
      });
    }
    const warnings = logger.lines.filter(({ level }) => level === 'warn');
    expect(warnings.map(({ details }) => details['where'])).toEqual([
      'Orders.place',
      'Orders.wrap',
      'Orders.greet',
      'Orders.read',
    ]);
    expect(warnings[0]?.message).toContain('if (isSuspension(error)) throw error');
  });

  test('that middleware swallows is answered all the same', async () => {
    const logger = recordingLogger();
    class Orders {
      @Tool()
      @UseMiddleware((_context, next) => next().catch(() => 'recovered'))
      async place(context: ToolContext) {
        return (await context.elicit('Sure?', Consent)).action;
      }
    }
    const partner = await partnerOf(await appOf({ services: [Orders], logger }), '2026-07-28', yes, ABLE);
    expect(await partner.text('place')).toBe('accept');
    expect(logger.lines).toMatchObject([{ level: 'warn', details: { where: 'Orders.place' } }]);
  });

  test('waits for side effects that have begun, and remembers them', async () => {
    let charges = 0;
    class Orders {
      @Tool()
      async place(context: ToolContext) {
        const charge = context.once('charge', async () => {
          await new Promise((resolve) => setTimeout(resolve, 20));
          return ++charges;
        });
        const [{ action }, charged] = await Promise.all([context.elicit('Sure?', Consent), charge]);
        return `${action} ${charged}`;
      }
    }
    const partner = await partnerOf(await appOf({ services: [Orders] }), '2026-07-28', yes, ABLE);
    expect(await partner.text('place')).toBe('accept 1');
    expect(charges).toBe(1);
  });

  test('does not abort the signal: work beside the question goes on unharmed', async () => {
    const signals: AbortSignal[] = [];
    class Orders {
      @Tool()
      async place(context: ToolContext) {
        signals.push(context.signal);
        return (await context.elicit('Sure?', Consent)).action;
      }
    }
    const partner = await partnerOf(await appOf({ services: [Orders] }), '2026-07-28', yes, ABLE);
    await partner.text('place');
    await settled();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  });
});

describe.each(ERAS)('a question that is not awaited, in %s', (version) => {
  test('is no unhandled rejection, and the handler is warned about', async () => {
    const unhandled: unknown[] = [];
    const listen = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', listen);
    const logger = recordingLogger();
    class Orders {
      @Tool()
      place(context: ToolContext) {
        void context.elicit('Sure?', Consent);
        void context.roots();
        void context.ask({ sure: ask.form('Sure?', Consent) });
        void context.inputResponse('none', {} as never);
        void context.once('key', () => Promise.reject(new Error('no')));
        return 'placed';
      }
      @Tool()
      later(context: ToolContext, @Arg('a', { optional: true }) _a: string) {
        void context.sample({ messages: [], maxTokens: 1 });
        return 'later';
      }
    }
    const app = await appOf({ services: [Orders], logger });
    const partners = [{}, ABLE].map(async (able) => partnerOf(app, version, () => undefined, able));
    try {
      for (const partner of await Promise.all(partners)) {
        expect(await partner.text('place')).toBe('placed');
        expect(await partner.text('later')).toBe('later');
        await partner.client.close();
      }
      await settled();
      await new Promise((resolve) => setTimeout(resolve, 20));
    } finally {
      process.off('unhandledRejection', listen);
    }
    expect(unhandled).toEqual([]);
    const warned = logger.lines.filter(({ message = '' }) => message.includes('await the call that asks'));
    expect(warned.map(({ details }) => details['where'])).toEqual(
      version === '2026-07-28' ? ['Orders.place', 'Orders.later'] : [],
    );
  });
});

test('a question that only a floating function waits for ends no process [2026-07-28]', async () => {
  const unhandled: unknown[] = [];
  const listen = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', listen);
  const helper = async (context: ToolContext) => (await context.elicit('Sure?', Consent)).action;
  class Orders {
    @Tool()
    place(context: ToolContext) {
      void helper(context);
      void context.elicit('Really?', Consent).then(() => undefined);
      return 'placed';
    }
  }
  try {
    const client = statelessClient(await appOf({ services: [Orders] }), ABLE);
    expect(textOf(await client.call('place'))).toBe('placed');
    await new Promise((resolve) => setTimeout(resolve, 20));
  } finally {
    process.off('unhandledRejection', listen);
  }
  expect(unhandled).toEqual([]);
});

test('a round keeps what a handler of a session asked, which waits in place', async () => {
  class Orders {
    @Tool()
    async place(context: ToolContext) {
      return (await context.elicit('Sure?', Consent)).action;
    }
  }
  const client = await openSession(await appOf({ services: [Orders] }), '2025-11-25', ABLE, { answer: yes });
  expect(textOf(await client.call('place'))).toBe('accept');
});
