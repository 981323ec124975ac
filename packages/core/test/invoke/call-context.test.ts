import { manifestOf } from '../../src/manifest.js';
import { describe, expect, test } from '@jest/globals';
import { IsInt, IsString, Min } from 'class-validator';
import {
  type GuardContext,
  Arg,
  applyDecorators,
  createMetadataDecorator,
  defineTool,
  type Guard,
  Metadata,
  type Middleware,
  type NextFunction,
  Param,
  Prompt,
  RequestContext,
  Resource,
  ResourceContext,
  Tool,
  ToolContext,
  UseGuards,
  UseMiddleware,
} from '../../src/index.js';
import { appOf, clientOf, deferred, openSession, recordingLogger, textOf } from '../harness.js';

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

describe('one context a call', () => {
  test('is the same object for guards, middleware and handler, and hands things on', async () => {
    const seen: unknown[] = [];
    class Tenants implements Guard {
      allows(access: GuardContext) {
        seen.push(access);
        access.state.tenant = 'blue';
        return true;
      }
      permits(context: RequestContext) {
        seen.push(context);
        return context.args instanceof Order;
      }
    }
    class Audit implements Middleware {
      handle(context: RequestContext, next: NextFunction) {
        seen.push(context);
        return next();
      }
    }
    class Orders {
      @Tool()
      @UseGuards(Tenants)
      @UseMiddleware(Audit)
      place(_order: Order, context: ToolContext) {
        seen.push(context);
        return `${context.state.tenant} ${context.method}`;
      }
    }
    const client = await openSession(await appOf({ services: [Orders] }));
    expect(textOf(await client.call('place', order))).toBe('blue tools/call');
    expect(seen).toHaveLength(4);
    expect(new Set(seen).size).toBe(1);
    await client.call('place', order);
    expect(new Set(seen).size).toBe(2);
  });

  test('has the parsed arguments, the definition and its private metadata', async () => {
    const seen: unknown[] = [];
    const note = (context: RequestContext, next: NextFunction) => {
      const { args, definition } = context;
      seen.push([
        args instanceof Order,
        args,
        definition.kind,
        definition.name,
        definition.metadata['level'],
      ]);
      return next();
    };
    class Orders {
      @Tool({ metadata: { level: 3 } })
      place(_order: Order) {
        return 'placed';
      }
      @Resource('order://{id}', { metadata: { level: 4 } })
      read(@Param('id') id: string) {
        return id;
      }
      @Prompt()
      ask(@Arg('tone') tone: string) {
        return tone;
      }
    }
    const client = await openSession(await appOf({ services: [Orders], middleware: [note] }));
    await client.call('place', order);
    await client.result('resources/read', { uri: 'order://7' });
    await client.result('prompts/get', { name: 'ask', arguments: { tone: 'dry' } });
    expect(seen).toEqual([
      [true, order, 'tool', 'place', 3],
      [false, { id: '7' }, 'template', 'order://{id}', 4],
      [false, { tone: 'dry' }, 'prompt', 'ask', undefined],
    ]);
  });
});

describe('the order of a call', () => {
  test('is guards, parsing, middleware around the raw value, encoding once', async () => {
    const steps: string[] = [];
    const output = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] };
    const total = {
      get total() {
        return 1;
      },
      toJSON: () => {
        steps.push('encode');
        return { total: 1 };
      },
    };
    const definition = defineTool({
      name: 'sum',
      input: Order,
      output,
      guards: [() => steps.push('guard') > 0],
      middleware: [
        async (context, next) => {
          steps.push(`before ${(context.args as Order).sku}`);
          const value = await next();
          steps.push(`after ${value === total}`);
          return value;
        },
      ],
      handle: () => {
        steps.push('handler');
        return total;
      },
    });
    const client = await openSession(await appOf({ definitions: [definition] }));
    expect(await client.call('sum', { sku: 'TEA', count: 0 })).toMatchObject({ isError: true });
    expect(steps.splice(0)).toEqual(['guard']);
    expect(await client.call('sum', order)).toMatchObject({ structuredContent: { total: 1 } });
    expect(steps).toEqual(['guard', 'before TEA', 'handler', 'after true', 'encode']);
  });
});

describe('middleware', () => {
  const run = async (...middleware: ((context: RequestContext, next: NextFunction) => unknown)[]) => {
    const logger = recordingLogger();
    const definition = defineTool({ name: 'one', middleware: middleware as never, handle: () => 'value' });
    const client = await openSession(await appOf({ definitions: [definition], logger }));
    const result = await client.call('one');
    return { result, errors: logger.lines.map(({ details }) => (details['err'] as Error).message) };
  };

  test('may call next() once', async () => {
    const { result, errors } = await run(async function twice(_context, next) {
      await next();
      return next();
    });
    expect(result).toMatchObject({ isError: true });
    expect(errors).toEqual(['The middleware twice called next() twice: call it once']);
  });

  test('may call next() once more when nobody waits for it: the process goes on', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const { result } = await run(async (_context, next) => {
      const given = await next();
      setTimeout(() => void next(), 1);
      return given;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off('unhandledRejection', note);
    expect([textOf(result), unhandled]).toEqual(['value', []]);
  });

  test('that forgets to return the value of next() is told so', async () => {
    const { result, errors } = await run(async function forgets(_context, next) {
      await next();
    });
    expect(result).toMatchObject({ isError: true });
    expect(errors).toEqual([
      'The middleware forgets returned nothing, although next() returned a value: return that value, or null for no value',
    ]);
  });

  test('that does not wait for next() is told so', async () => {
    const { errors } = await run(function hurries(_context, next) {
      void next();
    });
    expect(errors).toEqual(['The middleware hurries did not wait for next(): write "return await next()"']);
  });

  test('says with null that there is no value', async () => {
    const { result } = await run(async (_context, next) => {
      await next();
      return null;
    });
    expect(result).toEqual({ content: [] });
  });

  test('may answer before next() is done', async () => {
    const gate = deferred();
    const definition = defineTool({
      name: 'slow',
      middleware: [(_context, next) => Promise.race([next(), Promise.resolve('first')])],
      handle: () => gate.promise,
    });
    const client = await openSession(await appOf({ definitions: [definition] }));
    expect(textOf(await client.call('slow'))).toBe('first');
    gate.resolve();
  });
});

describe('private metadata', () => {
  const Roles = createMetadataDecorator<readonly string[]>('roles');

  @Roles(['agent'])
  @Metadata('area', 'orders')
  class Orders {
    @Tool({ meta: { shown: true }, metadata: { cost: 3 } })
    place(context: ToolContext) {
      return { ...context.definition.metadata, roles: Roles.of(context.definition) };
    }
    @Tool()
    @Roles(['admin'])
    cancel(context: ToolContext) {
      return { ...context.definition.metadata };
    }
    @Resource('x://y')
    @Metadata('cost', 1)
    read(context: ResourceContext) {
      return { ...context.definition.metadata };
    }
  }
  class Free extends Orders {
    @Tool()
    @Roles([])
    override place(context: ToolContext) {
      return { ...context.definition.metadata, roles: Roles.of(context.definition) };
    }
  }

  test('is said by class, method and options, the nearest wins, and subclasses inherit it', async () => {
    const client = await openSession(await appOf({ services: [Orders] }));
    const structured = async (name: string) => (await client.call(name))['structuredContent'];
    expect(await structured('place')).toEqual({ area: 'orders', roles: ['agent'], cost: 3 });
    expect(await structured('cancel')).toEqual({ area: 'orders', roles: ['admin'] });
    const free = await openSession(await appOf({ services: [Free] }));
    expect((await free.call('place'))['structuredContent']).toEqual({ area: 'orders', roles: [] });
  });

  test('never reaches a client', async () => {
    const app = await appOf({
      services: [Orders],
      definitions: [defineTool({ name: 'add', metadata: Roles.entry(['secret']), handle: () => 1 })],
    });
    for (const version of ['2024-11-05', '2025-06-18', '2026-07-28']) {
      const client = await clientOf(app, version);
      const lists = [await client.list('tools'), await client.list('resources')];
      expect(JSON.stringify(lists)).not.toMatch(/agent|admin|secret|area|cost/);
    }
    expect(JSON.stringify(manifestOf(app))).not.toMatch(/agent|admin|secret|area/);
  });

  test('decides with guards who sees a definition', async () => {
    const byRole = ({ definition, principal }: GuardContext) =>
      (Roles.of(definition) ?? []).every((role) => principal?.claims?.['role'] === role);
    const app = await appOf({ services: [Orders], guards: [byRole] });
    const names = async (requestInfo?: typeof ada) =>
      (await (await openSession(app, '2025-11-25', {}, requestInfo)).list('tools')).map(({ name }) => name);
    expect(await names()).toEqual([]);
    expect(await names(ada)).toEqual(['place']);
  });

  test('is composed with other decorators into one', async () => {
    const AdminTool = (name: string) =>
      applyDecorators(
        Tool({ name }),
        Roles(['admin']),
        UseGuards(() => true),
      );
    class Admin {
      @AdminTool('purge')
      purge(context: ToolContext) {
        return Roles.of(context.definition)?.join();
      }
    }
    const client = await openSession(await appOf({ services: [Admin] }));
    expect(textOf(await client.call('purge'))).toBe('admin');
  });
});
