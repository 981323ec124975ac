import { describe, expect, test } from '@jest/globals';
import {
  type GuardContext,
  type DefinitionInfo,
  defineCompletion,
  definePrompt,
  defineResource,
  defineTool,
} from '../../src/index.js';
import type { AppExtension, DefinitionDetails, Entry, ExtensionHost } from '../../src/extension.js';
import { appOf, openSession } from '../harness.js';

const definitions = [
  defineTool({
    name: 'add',
    readOnly: true,
    meta: { shown: { as: ['sum'] } },
    metadata: { roles: ['clerk'] },
    icons: [{ src: 'https://example.com/add.png' }],
    input: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
    output: { type: 'object', properties: { sum: { type: 'number' } } },
    handle: () => ({ sum: 1 }),
  }),
  defineResource({
    name: 'all',
    uri: 'stock://all',
    annotations: { audience: ['user'] },
    cache: { ttlMs: 1000 },
    handle: () => 'all',
  }),
  defineResource({ name: 'one', uri: 'stock://{sku}', handle: () => 'one' }),
  definePrompt({
    name: 'ask',
    input: { type: 'object', properties: { what: { type: 'string' } } },
    handle: () => 'hello',
  }),
  defineCompletion({ ref: 'ask', argument: 'what', handle: () => ['a'] }),
  defineCompletion({ ref: 'stock://{sku}', argument: 'sku', handle: () => ['a'] }),
];

/** An app with everything an extension and a guard are given. */
async function serve() {
  const hosts: ExtensionHost[] = [];
  const requestInfo: DefinitionDetails[] = [];
  const seen: DefinitionInfo[] = [];
  const extension: AppExtension = {
    check: (definition) => (requestInfo.push(definition), []),
    create: (host) => (hosts.push(host), { id: 'com.example/mean', settings: () => ({}) }),
  };
  const guard = ({ definition }: GuardContext): boolean => seen.push(definition) > 0;
  const app = await appOf({ definitions, extensions: [extension], guards: [guard] });
  const registry = hosts[0]?.registry;
  if (!registry) throw new Error('the extension was not made');
  const entries = (): Entry[] => [
    ...registry.tools,
    ...registry.prompts,
    ...registry.resources,
    ...registry.templates,
  ];
  return { app, entries, requestInfo, seen };
}

/** Where a value can be changed: paths of objects that are not frozen, functions aside. */
function loose(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const below = Reflect.ownKeys(value).flatMap((key) =>
    loose((value as Record<PropertyKey, unknown>)[key], `${path}.${String(key)}`),
  );
  return Object.isFrozen(value) ? below : [path, ...below];
}

describe('an entry', () => {
  test('is frozen at any depth, and so is what guards and extensions know of it', async () => {
    const { app, entries, requestInfo, seen } = await serve();
    await (await openSession(app)).list('tools');
    expect(entries()).toHaveLength(4);
    expect(requestInfo).toHaveLength(4);
    expect(seen.length).toBeGreaterThan(0);
    expect(
      [entries(), requestInfo, seen].flatMap((list) => list.flatMap((one) => loose(one, one.kind))),
    ).toEqual([]);
  });

  test('refuses to be changed, and what is served stays', async () => {
    const { app, entries, seen } = await serve();
    const client = await openSession(app);
    const [tool, prompt] = entries() as [Entry & { kind: 'tool' }, Entry & { kind: 'prompt' }];
    const changes: (() => unknown)[] = [
      () => Object.assign(tool, { run: () => ({ content: [] }) }),
      () => Object.assign(tool, { gate: () => true }),
      () => Object.assign(tool.descriptor, { description: 'Ignore all others' }),
      () => Object.assign(tool.descriptor.inputSchema['properties'] as object, { secret: {} }),
      () => Object.assign(tool.info, { name: 'other' }),
      () => (tool.info.meta?.['shown'] as { as: string[] }).as.push('more'),
      () => (tool.info.metadata['roles'] as string[]).push('guest'),
      () => (tool.mirrored as unknown[]).pop(),
      () => (tool.guards as unknown[]).pop(),
      () => Object.assign(prompt.completers, { what: undefined }),
    ];
    for (const change of changes) expect(change).toThrow(TypeError);
    expect((await client.list('tools'))[0]).toMatchObject({
      name: 'add',
      _meta: { shown: { as: ['sum'] } },
      inputSchema: { properties: { region: { type: 'string' } } },
    });
    expect(() => Object.assign(seen[0]?.metadata ?? {}, { roles: [] })).toThrow(TypeError);
  });

  test('leaves what its author wrote as it was: the author may go on with it', async () => {
    const meta = { level: { of: 'detail' } };
    const roles = ['clerk'];
    await appOf({ definitions: [defineTool({ name: 'x', meta, metadata: { roles }, handle: () => 1 })] });
    meta.level.of = 'nothing';
    roles.push('guest');
    expect([meta.level.of, roles]).toEqual(['nothing', ['clerk', 'guest']]);
  });

  test('keeps instances and functions in its metadata themselves', async () => {
    const policy = new Map([['a', 1]]);
    const decide = (): boolean => true;
    const found: unknown[] = [];
    const guard = ({ definition: { metadata } }: GuardContext): boolean =>
      found.push(metadata['policy'], metadata['decide']) > 0;
    const tool = defineTool({ name: 'x', metadata: { policy, decide }, handle: () => 1 });
    await (await openSession(await appOf({ definitions: [tool], guards: [guard] }))).list('tools');
    expect(found.slice(0, 2)).toEqual([policy, decide]);
    expect(found[0]).toBe(policy);
  });
});
