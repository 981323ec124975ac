import { expect, test } from '@jest/globals';
import { connect, type Content, type Json, type ToolResult, type View } from '../src/index.js';
import { HostDouble } from './host-double.js';

class Item {
  name!: string;
  due?: Date;
  describe(): string {
    return this.name;
  }
}

class List {
  items!: readonly Item[];
}

interface Tools {
  show_list: { output: List };
  add_item: { input: Item; output: List };
  clear: { input: Item };
}

/** Methods do not cross. */
export const KEYS: readonly (keyof Json<Item>)[] = ['name', 'due'];
// @ts-expect-error a method
void KEYS.includes('describe');

class Odd {
  link!: URL;
  big!: bigint;
  bytes!: Uint8Array;
  tags!: Set<Date>;
  counts!: Map<string, Item>;
}

/** What a server sends of a class, and no methods of it. */
export const ODD: Json<Odd> = {
  link: 'https://example.com/',
  big: '12',
  bytes: 'AQI=',
  tags: ['2026-01-01T00:00:00.000Z'],
  counts: { a: { name: 'Milk' } },
};
// @ts-expect-error a text, not a URL
void ODD.link.href;
// @ts-expect-error a text, not a number
void (ODD.big satisfies bigint);

/** Nothing of it runs: the compiler checks it. */
export async function typed(view: View<Tools, 'show_list'>): Promise<void> {
  view.onResult((result) => {
    if (result.isError) return;
    const due: string | undefined = result.structuredContent.items[0]?.due;
    return void due;
  });
  view.onInput((input: Record<string, never>) => void input);
  const added = await view.callTool('add_item', { name: 'Milk', due: '2026-01-01' });
  // @ts-expect-error may have failed
  void added.structuredContent.items;
  await view.callTool('show_list');
  const { structuredContent }: ToolResult<undefined> = await view.callTool('clear', { name: 'Milk' });
  void structuredContent;
  // @ts-expect-error there is no such tool
  await view.callTool('remove_item', {});
  // @ts-expect-error an argument is missing
  await view.callTool('add_item', {});
  // @ts-expect-error arguments are missing
  await view.callTool('add_item');
  // @ts-expect-error it takes no arguments
  await view.callTool('show_list', { name: 'Milk' });
}

test('a view without types takes any tool, and has any result', async () => {
  const result = { content: [] as Content[], structuredContent: { a: 1 } };
  using _host = new HostDouble({ answers: { 'tools/call': () => ({ result }) } });
  const view = await connect({ name: 'any', version: '1' });
  const answer = await view.callTool('any', { a: 'b' });
  expect(answer.isError ? undefined : answer.structuredContent['a']).toBe(1);
});
