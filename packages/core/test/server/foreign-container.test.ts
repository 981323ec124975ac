import { describe, expect, test } from '@jest/globals';
import {
  Arg,
  createApp,
  defineTool,
  type GuardContext,
  mapError,
  type NextFunction,
  type RequestContext,
  Service,
  Tool,
  ToolError,
  UseGuards,
  UseMiddleware,
} from '../../src/index.js';
import type { Container } from '../../src/extension.js';
import { handlersOf, serviceOf } from '../../src/internal.js';
import { connectInMemory } from '../../src/transport/index.js';
import { problemsOf } from '../harness.js';

describe('another container', () => {
  const get = ((cls: new () => object) => new cls()) as Container['get'];

  test('says what is wrong with the classes that it is to make, beside what is wrong with definitions', async () => {
    class Own {
      allows(): boolean {
        return true;
      }
    }
    @Service()
    @UseGuards(Own)
    class Shop {
      @Tool({ name: 'not a name' })
      sell(): string {
        return 'sold';
      }
    }
    const asked: string[] = [];
    const container: Container = {
      get,
      check(classes) {
        asked.push(...classes.map(({ name }) => name));
        return [{ code: 'SIGIL_UNRESOLVABLE', where: 'Own', what: 'it is unknown', fix: 'make it known' }];
      },
    };
    const problems = await problemsOf({ services: [Shop], container });
    expect(problems.map(({ code }) => code)).toEqual(['SIGIL_INVALID_NAME', 'SIGIL_UNRESOLVABLE']);
    expect(asked).toEqual(['Shop', 'Own']);
  });
});

describe('policies for single methods', () => {
  const order: string[] = [];
  const guard = (name: string) =>
    Object.defineProperty(
      ({ source }: GuardContext) => order.push(`guard of ${name}, ${String(source)}`) > 0,
      'name',
      { value: name },
    );
  const step = (name: string) => (_context: RequestContext, next: NextFunction) => {
    order.push(`middleware of ${name}`);
    return next();
  };

  class Base {
    @Tool()
    @UseGuards(guard('method'))
    @UseMiddleware(step('method'))
    sell(@Arg('what') what: string): string {
      if (what === 'nothing') throw new RangeError(what);
      return what;
    }
  }
  @Service()
  class Shop extends Base {}

  async function answer(
    app: Awaited<ReturnType<typeof createApp>>,
    name: string,
    args: object,
  ): Promise<Record<string, unknown>> {
    return new Promise((resolve) => {
      const receive = (message: unknown): void => resolve(message as Record<string, unknown>);
      const connection = connectInMemory(app.endpoint, receive, { source: 'the request' });
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      const params = { name, arguments: args, _meta };
      connection.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    });
  }

  test('stand between those of the app and those of decorators, and are asked for once a method', async () => {
    const places: string[] = [];
    const app = await createApp({
      name: 'shop',
      version: '1.0.0',
      services: [Shop],
      definitions: [defineTool({ name: 'plain', handle: () => 'plain' })],
      guards: [guard('app')],
      middleware: [step('app')],
      policies(cls, method) {
        places.push(`${cls.name}.${String(method)}`);
        return {
          guards: [guard('policy')],
          middleware: [step('policy')],
          errors: [mapError(RangeError, ({ message }) => new ToolError(`out of ${message}`))],
        };
      },
    });
    expect(places).toEqual(['Shop.sell']);
    expect(await answer(app, 'sell', { what: 'tea' })).toMatchObject({
      result: { content: [{ text: 'tea' }] },
    });
    expect(order.splice(0)).toEqual([
      'guard of app, the request',
      'guard of policy, the request',
      'guard of method, the request',
      'middleware of app',
      'middleware of policy',
      'middleware of method',
    ]);
    expect(await answer(app, 'sell', { what: 'nothing' })).toMatchObject({
      result: { isError: true, content: [{ text: 'out of nothing' }] },
    });
    order.length = 0;
    await answer(app, 'plain', {});
    expect(order.splice(0)).toEqual(['guard of app, the request', 'middleware of app']);
    app.tools.remove('sell');
    app.tools.add(Shop);
    expect(places).toEqual(['Shop.sell', 'Shop.sell']);
    await app.close();
  });

  test('are a function', async () => {
    const [problem] = await problemsOf({ services: [Shop], policies: {} as never });
    expect(problem).toMatchObject({
      where: 'createApp({ policies })',
      what: 'it must be a function that accepts a class and the name of a method',
    });
  });

  test('are found by what decorators recorded', () => {
    expect(handlersOf(Shop).map(({ method, declarer }) => [method, declarer])).toEqual([
      ['sell', Base.prototype],
    ]);
    expect([serviceOf(Shop), serviceOf(Base)]).toEqual([{ scope: 'singleton' }, undefined]);
  });
});
