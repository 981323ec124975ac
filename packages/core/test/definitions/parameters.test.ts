import { describe, expect, test } from '@jest/globals';
import { IsString } from 'class-validator';
import { Arg, Complete, Param, Prompt, Resource, Tool, ToolContext } from '../../src/index.js';
import { appOf, definitionError, problemsOf, statelessClient } from '../harness.js';

describe('SIGIL_MISSING_METADATA', () => {
  test('names the method and parameter of a build without decorator metadata', async () => {
    class Inventory {
      check(_query: unknown) {
        return 'ok';
      }
    }
    const descriptor = Object.getOwnPropertyDescriptor(Inventory.prototype, 'check') as PropertyDescriptor;
    Tool()(Inventory.prototype, 'check', descriptor);
    expect(await problemsOf({ services: [Inventory] })).toEqual([
      {
        code: 'SIGIL_MISSING_METADATA',
        where: 'Inventory.check, parameter 0',
        what: expect.stringContaining('no decorator metadata'),
        fix: expect.stringContaining('"emitDecoratorMetadata": true'),
      },
    ]);
  });

  test('does not arise for a method without parameters', async () => {
    class Inventory {
      check() {
        return 'ok';
      }
    }
    const descriptor = Object.getOwnPropertyDescriptor(Inventory.prototype, 'check') as PropertyDescriptor;
    Tool()(Inventory.prototype, 'check', descriptor);
    await expect(problemsOf({ services: [Inventory] })).rejects.toThrow('the app started');
  });

  test('does not arise for parameters that say their type', async () => {
    class Adder {
      add(a: number) {
        return a;
      }
    }
    const descriptor = Object.getOwnPropertyDescriptor(Adder.prototype, 'add') as PropertyDescriptor;
    Arg('a', { type: () => Number })(Adder.prototype, 'add', 0);
    Tool()(Adder.prototype, 'add', descriptor);
    await expect(problemsOf({ services: [Adder] })).rejects.toThrow('the app started');
  });
});

describe('SIGIL_ERASED_TYPE', () => {
  test.each([
    ['Object, as swc emits', Object],
    ['Function, as tsc emits for a type-only import', Function],
    ['undefined, as a circular import leaves', undefined],
  ])('names the parameter whose emitted type is %s', async (_, emitted) => {
    class Inventory {
      @Tool()
      check(_context: ToolContext, _query: object) {
        return 'ok';
      }
    }
    Reflect.defineMetadata('design:paramtypes', [ToolContext, emitted], Inventory.prototype, 'check');
    expect(await problemsOf({ services: [Inventory] })).toEqual([
      {
        code: 'SIGIL_ERASED_TYPE',
        where: 'Inventory.check, parameter 1',
        what: expect.stringContaining('import type'),
        fix: expect.stringContaining('import { X }'),
      },
    ]);
  });

  test('names the argument whose type is not known', async () => {
    class Finder {
      @Tool()
      find(@Arg('which') _which: string | number) {
        return 'ok';
      }
    }
    const [problem] = await problemsOf({ services: [Finder] });
    expect(problem).toMatchObject({ code: 'SIGIL_ERASED_TYPE' });
    expect(problem?.where).toContain('Finder.find');
    expect(problem?.what).toContain('which');
    expect(problem?.fix).toContain("@Arg('which'");
  });
});

describe('SIGIL_INVALID_PARAMETER', () => {
  test('tells a bare primitive to name its argument', async () => {
    class Adder {
      @Tool()
      add(@Arg('a') a: number, b: number) {
        return a + b;
      }
    }
    const [problem] = await problemsOf({ services: [Adder] });
    expect(problem).toMatchObject({ code: 'SIGIL_INVALID_PARAMETER', where: 'Adder.add, parameter 1' });
    expect(problem?.fix).toContain('@Arg(name)');
  });

  test('tells a class without rules to get some, or to be injected', async () => {
    class Clock {
      now() {
        return 0;
      }
    }
    class Times {
      @Tool()
      now(clock: Clock) {
        return clock.now();
      }
    }
    const [problem] = await problemsOf({ services: [Times] });
    expect(problem).toMatchObject({ code: 'SIGIL_INVALID_PARAMETER', where: 'Times.now, parameter 0' });
    expect(problem?.what).toContain('Clock');
    expect(problem?.fix).toContain('class-validator');
    expect(problem?.fix).toContain('inject Clock through the constructor');
  });

  test.each([
    ['@Param in a tool', "@Arg('id')"],
    ['@Arg in a resource', "@Param('id')"],
  ])('tells %s which decorator belongs there', async (title, fix) => {
    class Tools {
      @Tool()
      read(@Param('id') id: string) {
        return id;
      }
    }
    class Resources {
      @Resource('users://{id}')
      read(@Arg('id') id: string) {
        return id;
      }
    }
    const service = title.startsWith('@Param') ? Tools : Resources;
    const problems = await problemsOf({ services: [service] });
    expect(problems).toEqual([
      expect.objectContaining({
        code: 'SIGIL_INVALID_PARAMETER',
        where: `${service.name}.read, parameter 0`,
        fix: expect.stringContaining(fix),
      }),
    ]);
  });
});

describe('SIGIL_MIXED_PARAMETERS', () => {
  class Query {
    @IsString() sku!: string;
  }
  class Filter {
    @IsString() colour!: string;
  }

  test('refuses a DTO beside a single argument', async () => {
    class Inventory {
      @Tool()
      check(_query: Query, @Arg('limit') _limit: number) {
        return 'ok';
      }
    }
    expect(await problemsOf({ services: [Inventory] })).toEqual([
      expect.objectContaining({
        code: 'SIGIL_MIXED_PARAMETERS',
        where: 'Inventory.check',
        fix: 'use either one DTO class, or single values with @Arg',
      }),
    ]);
  });

  test('refuses two DTOs', async () => {
    class Inventory {
      @Prompt()
      check(_query: Query, _filter: Filter) {
        return 'ok';
      }
    }
    expect(await problemsOf({ services: [Inventory] })).toEqual([
      expect.objectContaining({ code: 'SIGIL_MIXED_PARAMETERS', where: 'Inventory.check' }),
    ]);
  });
});

describe('SIGIL_DUPLICATE_ARGUMENT', () => {
  test('names the argument that two parameters claim', async () => {
    class Adder {
      @Tool()
      add(@Arg('a') a: number, @Arg('a') b: number) {
        return a + b;
      }
    }
    expect(await problemsOf({ services: [Adder] })).toEqual([
      expect.objectContaining({
        code: 'SIGIL_DUPLICATE_ARGUMENT',
        where: 'Adder.add',
        what: "two parameters are called 'a'",
        fix: expect.stringContaining('a different name for each @Arg'),
      }),
    ]);
  });
});

describe('a report of several problems', () => {
  test('names an erased DTO, a duplicate tool and an unknown variable in one error', async () => {
    class Inventory {
      @Tool()
      check(_query: object) {
        return 'ok';
      }
      @Tool({ name: 'add' })
      first() {
        return 1;
      }
      @Tool({ name: 'add' })
      second() {
        return 2;
      }
      @Resource('products://{sku}')
      product(@Param('sku') sku: string, @Param('colour') colour: string) {
        return sku + colour;
      }
    }
    Reflect.defineMetadata('design:paramtypes', [Function], Inventory.prototype, 'check');
    const error = await definitionError({ services: [Inventory] });
    expect(error.code).toBe('SIGIL_INVALID_DEFINITIONS');
    expect(error.problems.map(({ code, where }) => [code, where])).toEqual([
      ['SIGIL_ERASED_TYPE', 'Inventory.check, parameter 0'],
      ['SIGIL_DUPLICATE_NAME', 'Inventory.second'],
      ['SIGIL_UNKNOWN_VARIABLE', 'Inventory.product'],
    ]);
    expect(error.message).toMatch(/^3 problems /);
    for (const { where, what, fix, code } of error.problems) {
      expect(error.message).toContain(`${where}: ${what}\n     Fix: ${fix} [${code}]`);
    }
  });

  test('has the code of the problem when there is one', async () => {
    class Twice {
      @Complete('nothing', 'x')
      complete() {
        return [];
      }
    }
    const error = await definitionError({ services: [Twice] });
    expect(error.code).toBe('SIGIL_UNKNOWN_COMPLETION');
    expect(error.message).toMatch(/^One problem /);
  });
});

test('@Arg takes the class of a scalar itself, as well as a function that gives it', async () => {
  class Tools {
    @Tool()
    show(@Arg('v', { type: String }) v: string | number, @Arg('n', { type: () => Number }) n: unknown) {
      return `${v} ${String(n)}`;
    }
  }
  const app = await appOf({ services: [Tools] });
  const [tool] = await statelessClient(app).list('tools');
  expect(tool?.['inputSchema']).toMatchObject({
    properties: { v: { type: 'string' }, n: { type: 'number' } },
  });
});
