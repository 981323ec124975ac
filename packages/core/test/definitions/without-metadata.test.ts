import { describe, expect, test } from '@jest/globals';
import {
  Arg,
  Complete,
  type CompletionContext,
  Ctx,
  Param,
  Principal,
  Prompt,
  type PromptContext,
  RequestContext,
  Resource,
  type ResourceContext,
  Tool,
  type ToolContext,
} from '../../src/index.js';
import type { Constructor } from '../../src/protocol/constructor.js';
import { appOf, openSession, problemsOf, textOf } from '../harness.js';

/** What a compiler emits that knows decorators and no types. Nothing here imports class-validator, but the last test. */
function withoutMetadata<T extends Constructor>(cls: T): T {
  const prototype = cls.prototype as object;
  for (const method of Reflect.ownKeys(prototype))
    for (const key of ['design:type', 'design:paramtypes', 'design:returntype'])
      Reflect.deleteMetadata(key, prototype, method);
  return cls;
}

const isContext = (value: unknown): boolean => value instanceof RequestContext;

describe('a build that emits no types of parameters', () => {
  test('gives the context to a parameter that stands alone', async () => {
    class Alone {
      @Tool()
      tool(ctx: ToolContext) {
        return isContext(ctx);
      }
      @Prompt()
      prompt(ctx: PromptContext) {
        return String(isContext(ctx));
      }
      @Resource('config://app')
      resource(ctx: ResourceContext) {
        return String(isContext(ctx));
      }
    }
    const client = await openSession(await appOf({ services: [withoutMetadata(Alone)] }));
    expect(textOf(await client.call('tool'))).toBe('true');
    expect(await client.request('prompts/get', { name: 'prompt' })).toMatchObject({
      result: { messages: [{ content: { text: 'true' } }] },
    });
    expect(await client.request('resources/read', { uri: 'config://app' })).toMatchObject({
      result: { contents: [{ text: 'true' }] },
    });
  });

  test('gives the context to the one parameter beside arguments, in any position', async () => {
    class Sums {
      @Tool()
      first(ctx: ToolContext, @Arg('a', { type: () => Number }) a: number) {
        return [isContext(ctx), a];
      }
      @Tool()
      last(@Arg('a', { type: () => Number }) a: number, ctx: ToolContext) {
        return [isContext(ctx), a];
      }
    }
    const client = await openSession(await appOf({ services: [withoutMetadata(Sums)] }));
    for (const name of ['first', 'last'])
      expect(JSON.parse(String(textOf(await client.call(name, { a: 2 }))))).toEqual([true, 2]);
  });

  test('gives what input describes to the first parameter without a decorator', async () => {
    const input = { type: 'object', properties: { a: { type: 'number' } } };
    class Sums {
      @Tool({ input })
      double(@Ctx() ctx: ToolContext, { a }: { a: number }, same: ToolContext) {
        return [isContext(ctx), ctx === same, 2 * a];
      }
    }
    const client = await openSession(await appOf({ services: [withoutMetadata(Sums)] }));
    expect(JSON.parse(String(textOf(await client.call('double', { a: 2 }))))).toEqual([true, true, 4]);
  });

  test('gives a completion what is typed, and then the context', async () => {
    class Colours {
      @Prompt()
      paint(@Arg('colour', { type: () => String }) colour: string) {
        return colour;
      }
      @Complete('paint', 'colour')
      colours(prefix: string, ctx: CompletionContext) {
        return [`${prefix} ${isContext(ctx)}`];
      }
    }
    const client = await openSession(await appOf({ services: [withoutMetadata(Colours)] }));
    const ref = { type: 'ref/prompt', name: 'paint' };
    const argument = { name: 'colour', value: 'red' };
    expect(await client.request('completion/complete', { ref, argument })).toMatchObject({
      result: { completion: { values: ['red true'] } },
    });
  });

  test('says of a parameter without a type that the compiler emitted none, and how its own decorator names it', async () => {
    class Shop {
      @Resource('shop://products/{sku}')
      product(@Param('sku') sku: string) {
        return sku;
      }
      @Tool()
      order(@Arg('sku') sku: string) {
        return sku;
      }
    }
    const what = (parameter: string) =>
      `the compiler emitted no decorator metadata, so the type of ${parameter} is not known`;
    const fix = (parameter: string) =>
      expect.stringMatching(`"emitDecoratorMetadata": true .* or set the type, for example ${parameter}`);
    const code = 'SIGIL_MISSING_METADATA';
    expect(await problemsOf({ services: [withoutMetadata(Shop)] })).toEqual([
      { code, where: 'Shop.product', what: what("@Param('sku')"), fix: fix("@Param\\('sku', ") },
      { code, where: 'Shop.order', what: what("@Arg('sku')"), fix: fix("@Arg\\('sku', ") },
    ]);
  });

  test('refuses two parameters that nothing tells apart', async () => {
    class Sums {
      @Tool()
      add(_args: object, _ctx: ToolContext) {
        return 1;
      }
    }
    expect(await problemsOf({ services: [withoutMetadata(Sums)] })).toMatchObject([
      {
        code: 'SIGIL_MISSING_METADATA',
        where: 'Sums.add, parameter 0',
        fix: expect.stringContaining('@Ctx()'),
      },
      { code: 'SIGIL_MISSING_METADATA', where: 'Sums.add, parameter 1' },
    ]);
  });

  test('refuses a parameter that may be a DTO, where there are DTOs', async () => {
    const { IsString } = await import('class-validator');
    class User {
      @IsString() name!: string;
    }
    class Users {
      @Tool()
      find(@Principal() _principal: unknown, _query: object) {
        return 1;
      }
      @Tool()
      add(_user: User) {
        return 1;
      }
      @Tool()
      whoAmI(@Ctx() ctx: ToolContext) {
        return isContext(ctx);
      }
    }
    expect(await problemsOf({ services: [withoutMetadata(Users)] })).toMatchObject([
      { code: 'SIGIL_MISSING_METADATA', where: 'Users.find, parameter 1' },
      { code: 'SIGIL_MISSING_METADATA', where: 'Users.add, parameter 0' },
    ]);
  });
});
