import { describe, expect, test } from '@jest/globals';
import {
  Arg,
  Complete,
  defineTool,
  Inject,
  type Middleware,
  type NextFunction,
  Prompt,
  RequestContext,
  Resource,
  Service,
  InjectionToken,
  Tool,
  ToolContext,
  ToolError,
  UseMiddleware,
} from '../../src/index.js';
import { appOf, openSession, problemsOf, settled, textOf } from '../harness.js';

describe('middleware', () => {
  test('runs from the outside in, app, class, method, and back', async () => {
    const steps: string[] = [];
    const step = (name: string) => async (_context: RequestContext, next: NextFunction) => {
      steps.push(`> ${name}`);
      const result = await next();
      steps.push(`< ${name}`);
      return result;
    };
    class Inner implements Middleware {
      async handle(context: RequestContext, next: NextFunction) {
        return step('method')(context, next);
      }
    }
    @UseMiddleware(step('class 1'), step('class 2'))
    class Tools {
      @Tool()
      @UseMiddleware(Inner)
      one() {
        steps.push('handler');
        return 'done';
      }
    }
    const client = await openSession(await appOf({ services: [Tools], middleware: [step('app')] }));
    expect(textOf(await client.call('one'))).toBe('done');
    expect(steps).toEqual([
      '> app',
      '> class 1',
      '> class 2',
      '> method',
      'handler',
      '< method',
      '< class 2',
      '< class 1',
      '< app',
    ]);
  });

  test('may answer early with anything a handler may return', async () => {
    let calls = 0;
    const early = () => ({ early: true });
    class Tools {
      @Tool()
      @UseMiddleware(early)
      tool() {
        calls += 1;
        return 'late';
      }
      @Resource('x://y')
      @UseMiddleware(() => 'early')
      resource() {
        calls += 1;
        return 'late';
      }
      @Prompt()
      @UseMiddleware(() => 'early')
      prompt(@Arg('a') _a: string) {
        calls += 1;
        return 'late';
      }
      @Complete('prompt', 'a')
      @UseMiddleware(() => ['early'])
      complete() {
        calls += 1;
        return ['late'];
      }
    }
    const client = await openSession(await appOf({ services: [Tools] }));
    expect((await client.call('tool'))['structuredContent']).toEqual({ early: true });
    expect(await client.result('resources/read', { uri: 'x://y' })).toMatchObject({
      contents: [{ text: 'early' }],
    });
    expect(await client.result('prompts/get', { name: 'prompt', arguments: { a: 'x' } })).toMatchObject({
      messages: [{ content: { text: 'early' } }],
    });
    const ref = { type: 'ref/prompt', name: 'prompt' };
    expect(await client.result('completion/complete', { ref, argument: { name: 'a', value: '' } })).toEqual({
      completion: { values: ['early'], total: 1, hasMore: false },
    });
    expect(calls).toBe(0);
  });

  test('may change the result, and what it gives is held against the output schema', async () => {
    const output = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
    const app = await appOf({
      definitions: [
        defineTool({ name: 'good', output, handle: () => ({ a: 1 }), middleware: [() => ({ a: 2 })] }),
        defineTool({ name: 'bad', output, handle: () => ({ a: 1 }), middleware: [() => ({ b: 2 })] }),
        defineTool({
          name: 'kept',
          output,
          handle: () => ({ a: 1 }),
          middleware: [(_context, next) => next()],
        }),
      ],
    });
    const client = await openSession(app);
    expect((await client.call('good'))['structuredContent']).toEqual({ a: 2 });
    expect((await client.call('kept'))['structuredContent']).toEqual({ a: 1 });
    expect(await client.error('tools/call', { name: 'bad' })).toMatchObject({ code: -32603 });
  });

  test('may throw, as handlers may', async () => {
    const middleware = [
      () => {
        throw new ToolError('Closed on Sundays');
      },
    ];
    const client = await openSession(
      await appOf({ definitions: [defineTool({ name: 'one', middleware, handle: () => 1 })] }),
    );
    expect(await client.call('one')).toEqual({
      content: [{ type: 'text', text: 'Closed on Sundays' }],
      isError: true,
    });
  });

  test('may recover from what a handler throws', async () => {
    const definition = defineTool({
      name: 'one',
      handle: () => {
        throw new Error('broken');
      },
      middleware: [(_context, next) => next().catch((error: Error) => `recovered from ${error.message}`)],
    });
    const client = await openSession(await appOf({ definitions: [definition] }));
    expect(textOf(await client.call('one'))).toBe('recovered from broken');
  });

  test('that is a class is made in the scope of the request', async () => {
    const seen: unknown[] = [];
    @Service({ scope: 'request' })
    class Trace {}
    @Service({ scope: 'request' })
    class Tracing implements Middleware {
      constructor(private readonly trace: Trace) {}
      handle(_context: RequestContext, next: NextFunction) {
        seen.push(this.trace);
        return next();
      }
    }
    @Service({ scope: 'request' })
    class Tools {
      constructor(private readonly trace: Trace) {}
      @Tool()
      @UseMiddleware(Tracing)
      one() {
        seen.push(this.trace);
        return 1;
      }
    }
    const client = await openSession(await appOf({ services: [Tools] }));
    await client.call('one');
    await client.call('one');
    expect(seen[0]).toBe(seen[1]);
    expect(seen[2]).toBe(seen[3]);
    expect(seen[0]).not.toBe(seen[2]);
  });

  test('that the container cannot make keeps the app from starting', async () => {
    const MISSING = new InjectionToken<string>('MISSING');
    @Service()
    class Broken implements Middleware {
      constructor(@Inject(MISSING) readonly label: string) {}
      handle(_context: RequestContext, next: NextFunction) {
        return next();
      }
    }
    const definitions = [defineTool({ name: 'one', middleware: [Broken], handle: () => 1 })];
    for (const options of [{ definitions }, { middleware: [Broken] }]) {
      expect(await problemsOf(options)).toEqual([
        expect.objectContaining({ code: 'SIGIL_UNRESOLVABLE', where: expect.stringContaining('Broken') }),
      ]);
    }
  });
});

describe('a context', () => {
  test('is found in any position, by its type or a base of it, and stays out of the schema', async () => {
    class Tools {
      @Tool()
      first(context: ToolContext, @Arg('a') a: number) {
        return `${context.tool} ${a}`;
      }
      @Tool()
      between(@Arg('a') a: number, context: RequestContext, @Arg('b') b: number) {
        return `${typeof context.requestId} ${a} ${b}`;
      }
      @Tool()
      twice(one: ToolContext, other: ToolContext) {
        return one.requestId === other.requestId;
      }
    }
    const client = await openSession(await appOf({ services: [Tools] }));
    expect(textOf(await client.call('first', { a: 1 }))).toBe('first 1');
    expect(textOf(await client.call('between', { a: 1, b: 2 }))).toBe('number 1 2');
    expect(textOf(await client.call('twice'))).toBe('true');
    const schemas = (await client.list('tools')).map(({ inputSchema }) =>
      Object.keys((inputSchema as { properties?: object }).properties ?? {}),
    );
    expect(schemas).toEqual([['a'], ['a', 'b'], []]);
  });

  test('of overlapping calls keeps their progress, log and id apart', async () => {
    const entered: (() => void)[] = [];
    class Tools {
      @Tool()
      async work(@Arg('name') name: string, context: ToolContext) {
        await new Promise<void>((resolve) => entered.push(resolve));
        context.progress(1, 1, name);
        context.log.info(name);
        await new Promise<void>((resolve) => entered.push(resolve));
        return `${name} ${context.requestId} ${String(context.meta['progressToken'])}`;
      }
    }
    const client = await openSession(await appOf({ services: [Tools] }));
    for (const name of ['a', 'b', 'c']) {
      const params = { name: 'work', arguments: { name }, _meta: { progressToken: `token ${name}` } };
      client.start('tools/call', params, `id ${name}`);
    }
    await settled();
    for (const enter of entered.splice(0).reverse()) enter();
    await settled();
    for (const leave of entered.splice(0)) leave();
    for (const name of ['a', 'b', 'c']) {
      const { result } = await client.response(`id ${name}`);
      expect(textOf(result ?? {})).toBe(`${name} id ${name} token ${name}`);
    }
    expect(client.heard('notifications/progress')).toEqual(
      ['c', 'b', 'a'].map((name) => ({
        progressToken: `token ${name}`,
        progress: 1,
        total: 1,
        message: name,
      })),
    );
    expect(client.heard('notifications/message').map((params) => params?.['data'])).toEqual(['c', 'b', 'a']);
  });

  test('runs a side effect once a key', async () => {
    let effects = 0;
    class Tools {
      @Tool()
      async work(context: ToolContext) {
        const charge = () => context.once('charge', () => (effects += 1));
        return [await charge(), await charge(), await context.once('other', () => 'x')];
      }
    }
    const client = await openSession(await appOf({ services: [Tools] }));
    expect((await client.call('work'))['structuredContent']).toEqual({ result: [1, 1, 'x'] });
    expect((await client.call('work'))['structuredContent']).toEqual({ result: [2, 2, 'x'] });
  });

  test('tells of headers and principal, where the transport knows them', async () => {
    class Tools {
      @Tool()
      who({ headers, principal }: ToolContext) {
        return { tenant: headers['x-tenant'] ?? null, id: principal?.id ?? null };
      }
    }
    const app = await appOf({ services: [Tools] });
    const requestInfo = { headers: { 'x-tenant': 'blue' }, principal: { id: 'ada' } };
    const known = await openSession(app, '2025-11-25', {}, { requestInfo });
    expect((await known.call('who'))['structuredContent']).toEqual({ tenant: 'blue', id: 'ada' });
    expect((await (await openSession(app)).call('who'))['structuredContent']).toEqual({
      tenant: null,
      id: null,
    });
  });
});
