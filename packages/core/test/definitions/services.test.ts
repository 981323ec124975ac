import { describe, expect, test } from '@jest/globals';
import { IsString, ValidateNested } from 'class-validator';
import { type AppOptions, Arg, defineTool, Service, Tool } from '../../src/index.js';
import { definitionError, problemsOf } from '../harness.js';

describe('SIGIL_INVALID_SCHEMA', () => {
  test.each([
    ['an unknown type', { type: 'object', properties: { a: { type: 'strin' } } }],
    ['a reference to nothing', { type: 'object', properties: { a: { $ref: '#/$defs/missing' } } }],
    ['a reference to elsewhere', { type: 'object', properties: { a: { $ref: 'https://example.com/a' } } }],
    ['a root that is no object', { type: 'string' }],
  ])('refuses an input schema with %s [checklist 34]', async (_, input) => {
    class Adder {
      @Tool({ input })
      add(_args: Record<string, unknown>) {
        return 1;
      }
    }
    const [problem] = await problemsOf({ services: [Adder] });
    expect(problem).toMatchObject({ code: 'SIGIL_INVALID_SCHEMA' });
    expect(problem?.where).toContain('Adder.add');
    expect(problem?.fix).toContain('correct the schema,');
  });

  test('says that the output is meant', async () => {
    class Adder {
      @Tool({ output: { type: 'nothing' } })
      add() {
        return 1;
      }
    }
    const [problem] = await problemsOf({ services: [Adder] });
    expect(problem).toMatchObject({ code: 'SIGIL_INVALID_SCHEMA', where: 'Adder.add, output' });
  });

  test('is found at start when everything is compiled at start', async () => {
    const definitions = [
      defineTool({
        name: 'broken',
        input: { type: 'object', properties: { a: { type: 'string', pattern: '(' } } },
        handle: () => 1,
      }),
    ];
    const error = await definitionError({ definitions, warm: true });
    expect(error.code).toBe('SIGIL_INVALID_SCHEMA');
    expect(error.message).toContain("defineTool('broken')");
  });
});

describe('SIGIL_ERASED_TYPE of a nested property', () => {
  test('names the class and property', async () => {
    class Address {
      @IsString() street!: string;
    }
    class Order {
      @ValidateNested() addresses!: Address[];
    }
    class Orders {
      @Tool()
      place(_order: Order) {
        return 'ok';
      }
    }
    const problems = await problemsOf({ services: [Orders] });
    expect(problems).toHaveLength(1);
    expect(problems[0]?.code).toBe('SIGIL_ERASED_TYPE');
    expect(JSON.stringify(problems[0])).toContain('addresses');
    expect(problems[0]?.fix).toContain('@Type(');
  });
});

describe('SIGIL_NO_DEFINITIONS', () => {
  test('names the listed class', async () => {
    @Service()
    class Repository {}
    expect(await problemsOf({ services: [Repository] })).toEqual([
      expect.objectContaining({
        code: 'SIGIL_NO_DEFINITIONS',
        where: 'Repository',
        fix: expect.stringContaining('remove the class from the list:'),
      }),
    ]);
  });
});

describe('SIGIL_NOT_A_SERVICE', () => {
  test.each([
    ['undefined', undefined],
    ['an instance', {}],
    ['an arrow function', () => 1],
  ])('refuses %s in the list of services', async (_, service) => {
    const services = [service] as unknown as NonNullable<AppOptions['services']>;
    expect(await problemsOf({ services })).toEqual([
      expect.objectContaining({
        code: 'SIGIL_NOT_A_SERVICE',
        where: 'createApp({ services })',
        fix: expect.stringContaining('import each other'),
      }),
    ]);
  });
});

describe('SIGIL_INVALID_OPTIONS', () => {
  test.each<[string, Partial<AppOptions>]>([
    ['name', { name: '' }],
    ['version', { version: '' }],
    ['pageSize', { pageSize: 0 }],
    ['pageSize', { pageSize: 1.5 }],
    ['limits.maxInFlight', { limits: { maxInFlight: -1 } }],
    ['limits.maxDepth', { limits: { maxDepth: 1001 } }],
    ['maxInFlight', { maxInFlight: 5 } as object],
    ['tasks.maxRuning', { tasks: { maxRuning: 1 } as object }],
    ['tasks.store', { tasks: { store: {} as never } }],
    ['state.store', { state: { store: {} as never } }],
    ['changeBus', { changeBus: {} as never }],
    ['limits.maxInflight', { limits: { maxInflight: 1 } as object }],
    ['cache.ttlMs', { cache: { ttlMs: -1 } }],
    ['cache.ttlMs', { cache: { ttlMs: 0.5 } }],
  ])('names %s when it is out of range: %j', async (option, options) => {
    expect(await problemsOf(options)).toEqual([
      expect.objectContaining({
        code: 'SIGIL_INVALID_OPTIONS',
        where: `createApp({ ${option} })`,
        fix: expect.stringMatching(/^use a valid value|^write |^use one of those/),
      }),
    ]);
  });

  test('stands in one report with problems of the definitions', async () => {
    class Adder {
      @Tool({ name: 'a b' })
      add(@Arg('a') a: number) {
        return a;
      }
    }
    const error = await definitionError({ pageSize: 0, services: [Adder] });
    expect(error.problems.map(({ code }) => code)).toEqual(['SIGIL_INVALID_OPTIONS', 'SIGIL_INVALID_NAME']);
  });
});
