import { describe, expect, test } from '@jest/globals';
import { Complete, Describe, Prompt, Resource, Tool, UseGuards } from '../../src/index.js';
import type { Constructor } from '../../src/protocol/constructor.js';
import { appOf, problemsOf } from '../harness.js';

type Decorate = (value: never, context: never) => void;

/** Decorates methods of a class as compilers do without `experimentalDecorators`: before there is the class. */
function decorated<T extends Constructor>(cls: T, methods: Readonly<Record<string, readonly unknown[]>>): T {
  const symbol = (Symbol as unknown as { readonly metadata: symbol }).metadata;
  const inherited = (Object.getPrototypeOf(cls) as Record<symbol, object | undefined>)[symbol];
  const metadata = Object.create(inherited ?? null) as object;
  for (const [name, decorators] of Object.entries(methods)) {
    const context = { kind: 'method', name, static: false, private: false, metadata };
    const value = (cls.prototype as Record<string, unknown>)[name];
    for (const decorate of [...decorators].reverse())
      (decorate as Decorate)(value as never, context as never);
  }
  Object.defineProperty(cls, symbol, { value: metadata });
  return cls;
}

describe('standard decorators', () => {
  test('make tools, resources, prompts and completions', async () => {
    const All = decorated(
      class All {
        add(): number {
          return 1;
        }
        config(): string {
          return 'x';
        }
        paint(): string {
          return 'x';
        }
        colours(): string[] {
          return [];
        }
      },
      {
        add: [Tool(), Tool({ name: 'plus' })],
        config: [Resource('config://app')],
        paint: [Prompt({ input: { type: 'object', properties: { colour: { type: 'string' } } } })],
        colours: [Complete('paint', 'colour')],
      },
    );
    const { tools, prompts, resources } = await appOf({ services: [All] });
    expect([tools.keys(), prompts.keys(), resources.keys()]).toEqual([
      ['add', 'plus'],
      ['paint'],
      ['config://app'],
    ]);
  });

  test('keep to the class they stand in: a subclass adds, and replaces', async () => {
    const Base = decorated(
      class Base {
        first(): number {
          return 1;
        }
        second(): number {
          return 2;
        }
      },
      { first: [Tool()], second: [Tool()] },
    );
    const Derived = decorated(
      class Derived extends Base {
        override second(): number {
          return 22;
        }
        third(): number {
          return 3;
        }
      },
      { second: [UseGuards(() => true), Tool({ name: 'another' })], third: [Tool()] },
    );
    expect((await appOf({ services: [Base] })).tools.keys()).toEqual(['first', 'second']);
    expect((await appOf({ services: [Derived] })).tools.keys()).toEqual(['first', 'another', 'third']);
    // Once more: what was recorded is not recorded again.
    expect((await appOf({ services: [Derived] })).tools.keys()).toEqual(['first', 'another', 'third']);
  });

  test.each([
    ['field', { kind: 'field', name: 'count', static: false, private: false, metadata: {} }],
    ['static method', { kind: 'method', name: 'count', static: true, private: false, metadata: {} }],
    ['private method', { kind: 'method', name: '#count', static: false, private: true, metadata: {} }],
    ['getter', { kind: 'getter', name: 'count', static: false, private: false, metadata: {} }],
  ])('refuse a %s, and say which setting makes them others', (_, context) => {
    for (const decorate of [Tool(), Describe('How many')])
      expect(() => (decorate as Decorate)(undefined as never, context as never)).toThrow(
        /count: as a standard decorator it belongs on .*"experimentalDecorators": true/,
      );
  });

  test('refuse a build that gives them nothing to write to', () => {
    const context = { kind: 'method', name: 'add', static: false, private: false, metadata: undefined };
    expect(() => (Tool() as Decorate)(undefined as never, context as never)).toThrow(
      /@Tool on add: .*"experimentalDecorators": true/,
    );
  });

  test('of one method that takes two things, without input, are refused', async () => {
    const Sums = decorated(
      class Sums {
        add(_args: object, _ctx: object): number {
          return 1;
        }
      },
      { add: [Tool()] },
    );
    const [problem] = await problemsOf({ services: [Sums] });
    expect(problem).toMatchObject({
      code: 'SIGIL_MISSING_METADATA',
      fix: expect.stringContaining(
        'with standard decorators, which parameters cannot have, describe the arguments by "input"',
      ),
    });
  });
});
