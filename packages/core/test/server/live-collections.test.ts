import { manifestOf } from '../../src/manifest.js';
import { describe, expect, test } from '@jest/globals';
import { IsInt } from 'class-validator';
import {
  Arg,
  Complete,
  defineCompletion,
  DefinitionError,
  definePrompt,
  defineResource,
  defineTool,
  inject,
  Param,
  Prompt,
  Resource,
  Service,
  Tool,
  ToolContext,
} from '../../src/index.js';
import type { Constructor } from '../../src/protocol/constructor.js';
import { appOf, type Client, type Json, openSession, problemsOf, settled, textOf } from '../harness.js';

class Order {
  @IsInt() count!: number;
}
const thrown = (run: () => void): DefinitionError => {
  try {
    run();
  } catch (error) {
    if (error instanceof DefinitionError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

const completionsOf = async (client: Client, ref: Json, name: string, more: Json = {}): Promise<unknown> => {
  const params = { ref, argument: { name, value: 'A' }, ...more };
  const { completion } = await client.result('completion/complete', params);
  return (completion as Json)['values'];
};

describe('a live collection', () => {
  test('adds, finds, lists and removes', async () => {
    const app = await appOf({});
    app.tools.add(defineTool({ name: 'one', handle: () => 1 }));
    app.tools.add(defineTool({ name: 'two', handle: () => 2 }));
    app.prompts.add(definePrompt({ name: 'ask', handle: () => 'x' }));
    app.resources.add(defineResource({ uri: 'x://y', name: 'y', handle: () => 'x' }));
    app.resources.add(defineResource({ uri: 'x://{id}', name: 'id', handle: () => 'x' }));
    expect(app.tools.keys()).toEqual(['one', 'two']);
    expect(app.prompts.keys()).toEqual(['ask']);
    expect(app.resources.keys()).toEqual(['x://y', 'x://{id}']);
    expect([app.tools.has('one'), app.tools.has('ask'), app.resources.has('x://{id}')]).toEqual([
      true,
      false,
      true,
    ]);
    expect([app.tools.remove('one'), app.tools.remove('one'), app.resources.remove('x://{id}')]).toEqual([
      true,
      false,
      true,
    ]);
    expect(app.tools.keys()).toEqual(['two']);
    expect(app.resources.keys()).toEqual(['x://y']);
  });

  test('serves what is added like any other', async () => {
    class Tools {
      @Tool()
      grow(context: ToolContext) {
        return context.tool;
      }
    }
    const app = await appOf({ services: [Tools] });
    const client = await openSession(app);
    const input = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
    app.tools.add(defineTool({ name: 'late', input, handle: ({ a }, { tool }) => `${tool} ${String(a)}` }));
    expect(textOf(await client.call('late', { a: 1 }))).toBe('late 1');
    expect((await client.call('late', { a: 'x' }))['isError']).toBe(true);
    app.tools.remove('late');
    expect(await client.error('tools/call', { name: 'late' })).toMatchObject({ code: -32602 });
    expect(textOf(await client.call('grow'))).toBe('grow');
  });

  test('takes a DTO class when no definition had one at start', async () => {
    const app = await appOf({ definitions: [defineTool({ name: 'one', handle: () => 1 })] });
    app.tools.add(defineTool({ name: 'late', input: Order, handle: (order) => order instanceof Order }));
    const client = await openSession(app);
    expect(textOf(await client.call('late', { count: 1 }))).toBe('true');
    expect((await client.call('late', { count: 'many' }))['isError']).toBe(true);
  });

  test('refuses a name that is taken, and keeps who has it', async () => {
    const app = await appOf({ definitions: [defineTool({ name: 'one', handle: () => 'first' })] });
    const error = thrown(() => app.tools.add(defineTool({ name: 'one', handle: () => 'second' })));
    expect(error.code).toBe('SIGIL_DUPLICATE_NAME');
    expect(textOf(await (await openSession(app)).call('one'))).toBe('first');
  });

  test.each([
    ['SIGIL_INVALID_NAME', defineTool({ name: 'not a name', handle: () => 1 }), 'not a name'],
    ['SIGIL_INVALID_SCHEMA', defineTool({ name: 'odd', input: { type: 'string' }, handle: () => 1 }), 'odd'],
  ])('refuses what is wrong with %s, and does not serve it', async (code, definition, key) => {
    const app = await appOf({});
    expect(thrown(() => app.tools.add(definition)).code).toBe(code);
    expect(app.tools.has(key)).toBe(false);
  });

  test('refuses a resource whose URI is wrong', async () => {
    const app = await appOf({});
    const definition = defineResource({ uri: 'x://{', name: 'x', handle: () => 'x' });
    expect(thrown(() => app.resources.add(definition)).code).toBe('SIGIL_INVALID_URI');
    expect(app.resources.keys()).toEqual([]);
  });

  test('takes a name again that was removed', async () => {
    const app = await appOf({ definitions: [defineTool({ name: 'one', handle: () => 'first' })] });
    app.tools.remove('one');
    app.tools.add(defineTool({ name: 'one', handle: () => 'second' }));
    expect(textOf(await (await openSession(app)).call('one'))).toBe('second');
  });
});

describe('a class added to a live collection', () => {
  class Late {
    @Tool()
    first() {
      return 'first';
    }
    @Tool()
    second(order: Order) {
      return order instanceof Order;
    }
    @Prompt()
    ask(@Arg('of') of: string) {
      return of;
    }
    @Complete('ask', 'of')
    whom(prefix: string) {
      return [`${prefix}da`];
    }
    @Resource('late://{id}')
    thing(@Param('id') id: string) {
      return id;
    }
    @Complete('late://{id}', 'id')
    ids(prefix: string) {
      return [`${prefix}1`];
    }
  }

  test('is served with all its definitions of that kind, and their completions', async () => {
    const app = await appOf({});
    app.tools.add(Late);
    expect([app.tools.keys(), app.prompts.keys(), app.resources.keys()]).toEqual([
      ['first', 'second'],
      [],
      [],
    ]);
    app.prompts.add(Late);
    app.resources.add(Late);
    expect([app.prompts.keys(), app.resources.keys()]).toEqual([['ask'], ['late://{id}']]);
    const client = await openSession(app);
    expect(textOf(await client.call('first'))).toBe('first');
    expect(textOf(await client.call('second', { count: 1 }))).toBe('true');
    expect(await completionsOf(client, { type: 'ref/prompt', name: 'ask' }, 'of')).toEqual(['Ada']);
    expect(await completionsOf(client, { type: 'ref/resource', uri: 'late://{id}' }, 'id')).toEqual(['A1']);
  });

  test('is made by the container, and initialised before its first call', async () => {
    class Initialised {
      readonly clock = inject(Clock);
      state = 'new';
      async onInit() {
        await settled();
        this.state = 'initialised';
      }
      @Tool()
      show() {
        return `${this.state} ${this.clock.now}`;
      }
    }
    @Service()
    class Clock {
      readonly now = 12;
    }
    const app = await appOf({});
    app.tools.add(Initialised);
    expect(textOf(await (await openSession(app)).call('show'))).toBe('initialised 12');
  });

  test.each<[string, string, Constructor]>([
    ['without such a definition', 'SIGIL_NO_DEFINITIONS', class Empty {}],
    [
      'that cannot be made',
      'SIGIL_MISSING_METADATA',
      class Needy extends Late {
        constructor(readonly clock: object) {
          super();
        }
      },
    ],
  ])('is refused %s', async (_, code, cls) => {
    const app = await appOf({});
    expect(thrown(() => app.tools.add(cls)).code).toBe(code);
    expect(app.tools.keys()).toEqual([]);
  });

  test('is refused as a whole when one of its names is taken', async () => {
    const app = await appOf({ definitions: [defineTool({ name: 'second', handle: () => 1 })] });
    expect(thrown(() => app.tools.add(Late)).code).toBe('SIGIL_DUPLICATE_NAME');
    expect(app.tools.keys()).toEqual(['second']);
  });
});

describe('completions', () => {
  const ask = (handle: () => string, argument = 'of') =>
    definePrompt({
      name: 'ask',
      input: { type: 'object', properties: { [argument]: { type: 'string' } } },
      handle,
    });
  const page = defineResource({ uri: 'page://{id}', name: 'page', handle: () => 'x' });
  const definitions = [
    ask(() => 'old'),
    page,
    defineCompletion({ ref: 'ask', argument: 'of', handle: (prefix) => [`${prefix}da`] }),
    defineCompletion({ ref: 'page://{id}', argument: 'id', handle: (prefix) => [`${prefix}1`] }),
  ];
  const ofPrompt = { type: 'ref/prompt', name: 'ask' };
  const ofPage = { type: 'ref/resource', uri: 'page://{id}' };

  test('outlive what they complete, and serve what takes its place', async () => {
    const app = await appOf({ definitions });
    const client = await openSession(app);
    app.prompts.remove('ask');
    app.resources.remove('page://{id}');
    app.prompts.add(ask(() => 'new'));
    app.resources.add(page);
    expect(await completionsOf(client, ofPrompt, 'of')).toEqual(['Ada']);
    expect(await completionsOf(client, ofPage, 'id')).toEqual(['A1']);
    app.prompts.remove('ask');
    app.prompts.add(ask(() => 'other', 'about'));
    expect(await completionsOf(client, ofPrompt, 'about')).toEqual([]);
  });

  test('are added, found, replaced and removed while the app is up', async () => {
    const app = await appOf({ definitions: [ask(() => 'x')] });
    const client = await openSession(app);
    const params = { ref: ofPrompt, argument: { name: 'of', value: 'A' } };
    expect(await client.error('completion/complete', params)).toMatchObject({ code: -32601 });
    app.completions.add(defineCompletion({ ref: 'ask', argument: 'of', handle: () => ['first'] }));
    expect(await completionsOf(client, ofPrompt, 'of')).toEqual(['first']);
    app.completions.add(defineCompletion({ ref: 'ask', argument: 'of', handle: () => ['second'] }));
    expect(await completionsOf(client, ofPrompt, 'of')).toEqual(['second']);
    expect(manifestOf(app).capabilities).toHaveProperty('completions');
    expect([app.completions.has('ask', 'of'), app.completions.has('ask', 'by')]).toEqual([true, false]);
    expect([app.completions.remove('ask', 'of'), app.completions.remove('ask', 'of')]).toEqual([true, false]);
    expect(await completionsOf(client, ofPrompt, 'of')).toEqual([]);
  });

  test('stand behind their guards, and see the arguments that are settled', async () => {
    const guarded = defineCompletion({
      ref: 'ask',
      argument: 'of',
      guards: [({ principal }) => principal?.id === 'ada'],
      handle: (prefix, context) => [`${prefix} ${context.args['by']}`],
    });
    const app = await appOf({ definitions: [ask(() => 'x'), guarded] });
    const ada = await openSession(app, '2025-11-25', {}, { requestInfo: { principal: { id: 'ada' } } });
    const context = { arguments: { by: 'post' } };
    expect(await completionsOf(ada, ofPrompt, 'of', { context })).toEqual(['A post']);
    expect(await completionsOf(await openSession(app), ofPrompt, 'of', { context })).toEqual([]);
  });

  test('of what is not there are refused, at start and later', async () => {
    const lost = defineCompletion({ ref: 'lost', argument: 'of', handle: () => [] });
    expect(await problemsOf({ definitions: [lost] })).toEqual([
      expect.objectContaining({ code: 'SIGIL_UNKNOWN_COMPLETION', where: "defineCompletion('lost')" }),
    ]);
    const app = await appOf({});
    expect(thrown(() => app.completions.add(lost)).code).toBe('SIGIL_UNKNOWN_COMPLETION');
    expect(app.completions.has('lost', 'of')).toBe(false);
  });
});
