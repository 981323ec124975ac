import { describe, expect, test } from '@jest/globals';
import * as core from '../../src/index.js';
import {
  applyDecorators,
  Complete,
  createMetadataDecorator,
  Describe,
  Inject,
  Limit,
  MapErrors,
  Metadata,
  Prompt,
  RequireScopes,
  Resource,
  Service,
  TaskSupport,
  Tool,
  ToolError,
  Ui,
  UiResource,
  UseGuards,
  UseMiddleware,
} from '../../src/index.js';
import type { Constructor } from '../../src/protocol/constructor.js';
import { appOf, problemsOf, statelessClient } from '../harness.js';

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
        /count: as a standard decorator, it belongs on .*"experimentalDecorators": true/,
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
        'if you use standard decorators, which cannot decorate parameters, describe the arguments with the option "input"',
      ),
    });
  });
});

describe('each exported decorator, as a standard one,', () => {
  const OF_PARAMETERS = ['Arg', 'Ctx', 'Optional', 'Param', 'Principal'];
  const TRIED = [
    'Complete',
    'Describe',
    'Inject',
    'Limit',
    'MapErrors',
    'McpHeader',
    'Metadata',
    'Prompt',
    'RequireScopes',
    'Resource',
    'Service',
    'TaskSupport',
    'Tool',
    'Ui',
    'UiResource',
    'UseGuards',
    'UseMiddleware',
  ];

  test('is tried here, or belongs on parameters, where no compiler takes a standard one', () => {
    const isDecorator = ([name, value]: [string, unknown]): boolean =>
      /^[A-Z][a-z]/.test(name) &&
      typeof value === 'function' &&
      !/^class\b/.test(Function.prototype.toString.call(value)) &&
      !/Type$/.test(name);
    const names = Object.entries(core)
      .filter(isDecorator)
      .map(([name]) => name);
    expect(names.sort()).toEqual([...TRIED, ...OF_PARAMETERS].sort());
  });

  test('works on a method', async () => {
    const seen: unknown[] = [];
    const Rank = createMetadataDecorator<number>('rank');
    const Ranked = (rank: number) => applyDecorators(Tool(), Rank(rank));
    const Pages = decorated(
      class Pages {
        roll(): number {
          throw new RangeError('no dice');
        }
        ranked(): string {
          return 'ranked';
        }
        secret(): string {
          return 'secret';
        }
        page(): string {
          return '<p>6</p>';
        }
      },
      {
        roll: [
          Ui('ui://dice/view.html'),
          TaskSupport('optional'),
          MapErrors({ error: RangeError, map: () => new ToolError('roll again') }),
          UseMiddleware((_, next) => {
            seen.push('middleware');
            return next();
          }),
          Tool(),
        ],
        ranked: [Ranked(3), UseGuards(({ definition }) => seen.push(Rank.of(definition)) > 0)],
        secret: [RequireScopes('secrets'), Limit('1/h'), Metadata('audit', 'strict'), Tool()],
        page: [UiResource('ui://dice/view.html', { prefersBorder: true })],
      },
    );
    const app = await appOf({ services: [Pages] });
    const client = statelessClient(app);
    const { result: listed } = await client.request('tools/list');
    const tools = listed?.['tools'] as { name: string; _meta?: unknown }[];
    expect(tools.map(({ name }) => name).sort()).toEqual(['ranked', 'roll', 'secret']);
    expect((await client.request('tools/call', { name: 'roll' })).result).toMatchObject({
      isError: true,
      content: [{ text: 'roll again' }],
    });
    expect((await client.request('tools/call', { name: 'ranked' })).result).toMatchObject({
      content: [{ text: 'ranked' }],
    });
    expect(seen).toEqual(expect.arrayContaining(['middleware', 3]));
    expect((await client.request('tools/call', { name: 'secret' })).error).toMatchObject({ code: 403 });
    expect((await client.request('tools/call', { name: 'secret' })).error).toMatchObject({ code: 429 });
    expect((await client.request('resources/read', { uri: 'ui://dice/view.html' })).result).toMatchObject({
      contents: [
        {
          mimeType: 'text/html;profile=mcp-app',
          text: '<p>6</p>',
          _meta: { ui: { prefersBorder: true } },
        },
      ],
    });
  });

  test('is refused where it cannot do what it says', async () => {
    const field = { kind: 'field', name: 'cache', static: false, private: false, metadata: {} };
    expect(() => (Inject('cache') as Decorate)(undefined as never, field as never)).toThrow(
      /@Inject on cache: standard decorators cannot inject; write inject\(id\)/,
    );
    for (const decorate of [core.McpHeader('Region'), UiResource('ui://a/b')])
      expect(() => (decorate as Decorate)(undefined as never, field as never)).toThrow(
        /cache: as a standard decorator, it belongs on/,
      );
    const Wrong = decorated(
      class Wrong {
        a(): void {}
      },
      { a: [Service(), Tool()] },
    );
    await expect(appOf({ services: [Wrong] })).rejects.toThrow('@Service belongs on classes, not on a()');
  });
});
