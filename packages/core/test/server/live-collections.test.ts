import { describe, expect, test } from '@jest/globals';
import { IsInt } from 'class-validator';
import {
  DefinitionError,
  definePrompt,
  defineResource,
  defineTool,
  Tool,
  ToolContext,
} from '../../src/index.js';
import { appOf, openSession, textOf } from '../harness.js';

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
