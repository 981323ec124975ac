import { describe, expect, test } from '@jest/globals';
import {
  Arg,
  Complete,
  CompletionContext,
  defineCompletion,
  definePrompt,
  Param,
  Prompt,
  Resource,
} from '../../src/index.js';
import { appOf, clientOf, openSession, type Client, type Json } from '../harness.js';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);

class Completions {
  @Prompt()
  greet(@Arg('name') name: string, @Arg('style') style: string) {
    return name + style;
  }
  @Resource('users://{team}/{id}')
  user(@Param('team') team: string, @Param('id') id: string) {
    return team + id;
  }
  @Complete('greet', 'name')
  names(prefix: string, context: CompletionContext) {
    const style = context.args['style'] ?? 'plain';
    return ['Ada', 'Alan', 'Bob'].filter((name) => name.startsWith(prefix)).map((name) => `${name} ${style}`);
  }
  @Complete('users://{team}/{id}', 'id')
  async ids(context: CompletionContext, value: string) {
    const shapes: Record<string, unknown> = {
      many: numbers(150),
      hundred: numbers(100),
      total: { values: ['a'], total: 1000 },
      more: { values: ['a'], hasMore: true },
      capped: { values: numbers(150), total: 150, hasMore: false },
      whole: { completion: { values: numbers(150), total: 150 } },
      none: [],
      odd: 'text',
    };
    return shapes[value] ?? Object.keys(context.args);
  }
}
const started = appOf({ services: [Completions] });
const name = (value: string, context?: Json) => ({
  ref: { type: 'ref/prompt', name: 'greet' },
  argument: { name: 'name', value },
  ...(context ? { context } : {}),
});
const id = (value: string) => ({
  ref: { type: 'ref/resource', uri: 'users://{team}/{id}' },
  argument: { name: 'id', value },
});
const complete = async (client: Client, params: Json): Promise<Json> =>
  (await client.result('completion/complete', params))['completion'] as Json;

describe('completion/complete', () => {
  test.each(['2025-03-26', '2025-11-25', '2026-07-28'])(
    'gives what fits, and how much there is, in %s [checklist 38]',
    async (version) => {
      const client = await clientOf(await started, version);
      expect(await complete(client, name('A'))).toEqual({
        values: ['Ada plain', 'Alan plain'],
        total: 2,
        hasMore: false,
      });
    },
  );

  test('tells the handler what is settled already', async () => {
    const client = await openSession(await started);
    expect(await complete(client, name('B', { arguments: { style: 'formal' } }))).toMatchObject({
      values: ['Bob formal'],
    });
    for (const context of [{}, { arguments: {} }]) {
      expect(await complete(client, name('B', context))).toMatchObject({ values: ['Bob plain'] });
    }
  });

  test.each([[7], [null], [{ toString: 'x' }], [['formal']]])(
    'hands over no settled argument that is %j, for they are strings',
    async (style) => {
      const client = await openSession(await started);
      const context = { arguments: { style, name: 'Bob' } };
      expect(await complete(client, name('B', context))).toMatchObject({ values: ['Bob plain'] });
    },
  );

  test('shows middleware and handlers the arguments by name, and gives handlers what is typed', async () => {
    const seen: unknown[] = [];
    const app = await appOf({
      definitions: [
        definePrompt({
          name: 'travel',
          input: { type: 'object', properties: { from: { type: 'string' }, to: { type: 'string' } } },
          handle: () => 'Go',
        }),
        defineCompletion({
          ref: 'travel',
          argument: 'to',
          handle: (prefix, ctx) => [`${prefix} by ${ctx.args['from']}`],
        }),
      ],
      middleware: [(ctx, next) => (seen.push(ctx.args), next())],
    });
    const client = await openSession(app);
    const params = {
      ref: { type: 'ref/prompt', name: 'travel' },
      argument: { name: 'to', value: 'Ro' },
      context: { arguments: { from: 'Pisa', days: 3 } },
    };
    expect(await complete(client, params)).toMatchObject({ values: ['Ro by Pisa'] });
    expect(seen).toEqual([{ from: 'Pisa', to: 'Ro' }]);
  });

  test.each<[string, Json]>([
    ['many', { values: numbers(100), total: 150, hasMore: true }],
    ['hundred', { values: numbers(100), total: 100, hasMore: false }],
    ['total', { values: ['a'], total: 1000, hasMore: true }],
    ['more', { values: ['a'], hasMore: true }],
    ['capped', { values: numbers(100), total: 150, hasMore: true }],
    ['whole', { values: numbers(100), total: 150, hasMore: true }],
    ['none', { values: [], total: 0, hasMore: false }],
  ])(
    'sends at most 100 values, and says whether there are more: %s [checklist 38]',
    async (value, expected) => {
      expect(await complete(await openSession(await started), id(value))).toMatchObject(expected);
    },
  );

  test('of an argument nobody completes is empty', async () => {
    const client = await openSession(await started);
    for (const argument of ['style', 'no-such', 'constructor', '__proto__']) {
      const params = { ...name('x'), argument: { name: argument, value: '' } };
      expect(await complete(client, params)).toEqual({ values: [], total: 0, hasMore: false });
    }
  });

  test.each<[string, Json]>([
    ['an unknown prompt', { ...name('x'), ref: { type: 'ref/prompt', name: 'no-such' } }],
    ['an unknown template', { ...id('x'), ref: { type: 'ref/resource', uri: 'no://such' } }],
    ['a concrete URI', { ...id('x'), ref: { type: 'ref/resource', uri: 'users://a/b' } }],
    ['no argument', { ref: { type: 'ref/prompt', name: 'greet' } }],
    ['no value', { ...name('x'), argument: { name: 'name' } }],
    ['a number as value', { ...name('x'), argument: { name: 'name', value: 7 } }],
    ['no reference', { argument: { name: 'name', value: 'x' } }],
  ])('with %s is refused with -32602 [checklist 38]', async (_, params) => {
    const client = await openSession(await started);
    expect(await client.error('completion/complete', params)).toMatchObject({ code: -32602 });
  });

  test('of a handler that gives no list is a masked failure', async () => {
    const client = await openSession(await started);
    expect(await client.error('completion/complete', id('odd'))).toEqual({
      code: -32603,
      message: 'Internal error',
    });
  });
});
