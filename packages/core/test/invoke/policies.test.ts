import { describe, expect, test } from '@jest/globals';
import { IsInt, IsString, Min } from 'class-validator';
import {
  type GuardContext,
  Arg,
  createParamDecorator,
  definePrompt,
  defineResource,
  defineTool,
  type Guard,
  type NextFunction,
  Principal,
  RequestContext,
  Tool,
  ToolError,
  UseGuards,
  UseMiddleware,
} from '../../src/index.js';
import {
  appOf,
  clientOf,
  type Json,
  openSession,
  problemsOf,
  settled,
  statelessClient,
  textOf,
} from '../harness.js';

declare module '../../src/index.js' {
  interface ContextState {
    tenant?: string;
  }
}

class Order {
  @IsString() sku!: string;
  @IsInt() @Min(1) count!: number;
}
const order = { sku: 'TEA', count: 2 };
const ada = { requestInfo: { principal: { id: 'ada', scopes: ['orders'], claims: { role: 'agent' } } } };

describe('what a guard permits', () => {
  class OwnOrders implements Guard {
    allows() {
      return true;
    }
    async permits({ args, principal }: RequestContext) {
      await settled();
      return Object.values(args as Json)[0] === principal?.id;
    }
  }
  const guards = [OwnOrders];
  let runs = 0;
  const handle = () => {
    runs += 1;
    return 'done';
  };
  const definitions = [
    defineTool({ name: 'place', guards, input: { type: 'object' }, handle }),
    defineResource({ name: 'order', uri: 'order://{owner}', guards, handle }),
    definePrompt({ name: 'ask', guards, input: { type: 'object' }, handle }),
  ];

  test.each(['2025-11-25', '2026-07-28'])(
    'depends on the arguments of a call, and not on lists, in %s',
    async (version) => {
      const client = await clientOf(await appOf({ definitions }), version, ada);
      runs = 0;
      expect((await client.list('tools')).map(({ name }) => name)).toEqual(['place']);
      expect(textOf(await client.call('place', { owner: 'ada' }))).toBe('done');
      expect(await client.call('place', { owner: 'bob' })).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('Access denied') }],
      });
      expect(await client.result('resources/read', { uri: 'order://ada' })).toMatchObject({
        contents: [{ text: 'done' }],
      });
      expect((await client.error('resources/read', { uri: 'order://bob' })).message).toBe(
        'Resource not found',
      );
      expect(await client.error('prompts/get', { name: 'ask', arguments: { who: 'bob' } })).toMatchObject({
        code: -32602,
        message: expect.stringContaining('Access denied'),
      });
      expect(runs).toBe(2);
    },
  );

  test('holds for subscriptions: what may not be read is not heard of either', async () => {
    const app = await appOf({ definitions });
    const session = await openSession(app, '2025-11-25', {}, ada);
    await session.result('resources/subscribe', { uri: 'order://ada' });
    expect(await session.error('resources/subscribe', { uri: 'order://bob' })).toMatchObject({
      message: 'Resource not found',
    });
    const listener = statelessClient(app, {}, ada);
    listener.start(
      'subscriptions/listen',
      { notifications: { resourceSubscriptions: ['order://ada', 'order://bob'] } },
      'sub',
    );
    for (let turn = 0; turn < 10; turn += 1) await settled();
    expect(listener.heard('notifications/subscriptions/acknowledged')).toEqual([
      expect.objectContaining({ notifications: { resourceSubscriptions: ['order://ada'] } }),
    ]);
  });

  test('may be refused with words of its own', async () => {
    class Strict implements Guard {
      allows() {
        return true;
      }
      permits(): boolean {
        throw new ToolError('Orders over 100 need a manager');
      }
    }
    const client = await openSession(
      await appOf({ definitions: [defineTool({ name: 'place', guards: [Strict], handle })] }),
    );
    expect(textOf(await client.call('place'))).toBe('Orders over 100 need a manager');
  });

  test.each([undefined, null, 'false', {}, 1, Promise.resolve(undefined), Promise.resolve({})])(
    'is allowed by true alone, not by %p',
    async (answer) => {
      class Forgetful {
        allows = () => true;
        permits = () => answer;
      }
      const app = await appOf({
        definitions: [defineTool({ name: 'place', guards: [Forgetful as never], handle: () => 'ran' })],
      });
      expect(textOf(await statelessClient(app).call('place'))).toContain('Access denied');
    },
  );
});

describe('guards and middleware', () => {
  class ArrowGuard {
    allows = ({ principal }: GuardContext) => principal?.id === 'ada';
  }
  class ArrowMiddleware {
    handle = async (_context: RequestContext, next: NextFunction) => `${String(await next())}!`;
  }

  test('may have their method as a property', async () => {
    class Tools {
      @Tool()
      @UseGuards(ArrowGuard as never)
      @UseMiddleware(ArrowMiddleware as never)
      one() {
        return 'yes';
      }
    }
    const app = await appOf({ services: [Tools] });
    expect(textOf(await (await openSession(app, '2025-11-25', {}, ada)).call('one'))).toBe('yes!');
    expect(await (await openSession(app)).error('tools/call', { name: 'one' })).toMatchObject({
      code: -32602,
    });
  });

  test('keep the app from starting when they are none', async () => {
    class Empty {}
    const problems = await problemsOf({
      guards: [new ArrowGuard() as never],
      middleware: ['log' as never],
      definitions: [],
    });
    expect(problems).toMatchObject([
      { code: 'SIGIL_INVALID_POLICY', where: 'guard', fix: expect.stringContaining('not an instance') },
      { code: 'SIGIL_INVALID_POLICY', where: 'middleware', what: 'log is not valid as middleware' },
    ]);
    expect(await problemsOf({ guards: [Empty as never] })).toMatchObject([
      { code: 'SIGIL_INVALID_POLICY', where: 'Empty', what: expect.stringContaining('no method allows') },
    ]);
    expect(await problemsOf({ middleware: [Empty as never] })).toMatchObject([
      { code: 'SIGIL_INVALID_POLICY', where: 'Empty', what: expect.stringContaining('no method handle') },
    ]);
  });
});

describe('parameters of the author', () => {
  const Tenant = createParamDecorator((context) => String(context.headers['x-tenant'] ?? 'default'));

  test('get their value from the context, in any position, and stay out of the schema', async () => {
    class Orders {
      @Tool()
      place(@Tenant() tenant: string, order: Order, @Principal() principal: Principal | undefined) {
        return `${tenant} ${order.sku} ${principal?.id}`;
      }
      @Tool()
      who(@Arg('a') a: number, @Principal() principal: Principal) {
        return `${a} ${principal.id}`;
      }
    }
    const requestInfo = { ...ada.requestInfo, headers: { 'x-tenant': 'blue' } };
    const client = await openSession(await appOf({ services: [Orders] }), '2025-11-25', {}, { requestInfo });
    expect(textOf(await client.call('place', order))).toBe('blue TEA ada');
    expect(textOf(await client.call('who', { a: 1 }))).toBe('1 ada');
    const [place, who] = await client.list('tools');
    expect(Object.keys((place?.['inputSchema'] as Json)['properties'] as Json)).toEqual(['sku', 'count']);
    expect(Object.keys((who?.['inputSchema'] as Json)['properties'] as Json)).toEqual(['a']);
  });

  test('may be promised: the handler gets what was promised', async () => {
    const Plan = createParamDecorator(async () => {
      await settled();
      return 'gold';
    });
    class Plans {
      @Tool()
      plan(@Arg('a') a: number, @Plan() plan: string) {
        return `${a} ${plan}`;
      }
    }
    const client = await openSession(await appOf({ services: [Plans] }));
    expect(textOf(await client.call('plan', { a: 1 }))).toBe('1 gold');
  });

  test('fail the call when they cannot be had, and end no process', async () => {
    const Slow = createParamDecorator(async () => {
      await settled();
      throw new ToolError('no slow one');
    });
    const AtOnce = createParamDecorator(() => {
      throw new ToolError('none at once');
    });
    let runs = 0;
    class Plans {
      @Tool()
      slow(@Slow() _slow: string) {
        runs += 1;
      }
      @Tool()
      both(@Slow() _slow: string, @AtOnce() _now: string) {
        runs += 1;
      }
    }
    const rejections: unknown[] = [];
    const listener = (reason: unknown): void => void rejections.push(reason);
    process.on('unhandledRejection', listener);
    try {
      const client = await openSession(await appOf({ services: [Plans] }));
      expect(textOf(await client.call('slow'))).toBe('no slow one');
      expect(textOf(await client.call('both'))).toBe('none at once');
      await new Promise((resolve) => setTimeout(resolve, 20));
    } finally {
      process.off('unhandledRejection', listener);
    }
    expect({ runs, rejections }).toEqual({ runs: 0, rejections: [] });
  });
});
