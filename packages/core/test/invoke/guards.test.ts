import { describe, expect, test } from '@jest/globals';
import {
  type GuardContext,
  Arg,
  Complete,
  definePrompt,
  defineResource,
  defineTool,
  type Guard,
  Param,
  Prompt,
  Resource,
  Tool,
  UseGuards,
} from '../../src/index.js';
import { appOf, type Client, clientOf, openSession } from '../harness.js';

const names = async (client: Client, kind: 'tools' | 'prompts' | 'resources' | 'resourceTemplates') =>
  (await client.list(kind)).map(({ name }) => name);

/** Allows principals with the scope that the definition names in its private metadata. */
class ScopeGuard implements Guard {
  allows({ principal, definition }: GuardContext) {
    return principal?.scopes?.includes(String(definition.metadata['scope'])) ?? false;
  }
}
const later = async (access: GuardContext) => new ScopeGuard().allows(access);
const admin = { requestInfo: { principal: { id: 'ada', scopes: ['admin'] } } };
const guest = { requestInfo: { principal: { id: 'bob', scopes: [] } } };

describe.each([
  ['a class', ScopeGuard],
  ['a function', (access: GuardContext) => new ScopeGuard().allows(access)],
  ['an asynchronous function', later],
])('a guard that is %s', (_, guard) => {
  const metadata = { scope: 'admin' };
  let calls = 0;
  class Vault {
    @Tool({ name: 'tool', metadata })
    @UseGuards(guard)
    tool() {
      calls += 1;
      return 'ok';
    }
    @Tool()
    open() {
      return 'ok';
    }
    @Resource('vault://fixed', { name: 'fixed', metadata })
    @UseGuards(guard)
    fixed() {
      calls += 1;
      return 'ok';
    }
    @Resource('vault://items/{id}', { name: 'template', metadata })
    @UseGuards(guard)
    template(@Param('id') id: string) {
      calls += 1;
      return id;
    }
    @Prompt({ name: 'prompt', metadata })
    @UseGuards(guard)
    prompt(@Arg('name') name: string) {
      calls += 1;
      return name;
    }
    @Complete('prompt', 'name')
    names() {
      calls += 1;
      return ['Ada'];
    }
    @Complete('vault://items/{id}', 'id')
    ids() {
      calls += 1;
      return ['1'];
    }
  }
  const requests = [
    ['tools/call', { name: 'tool' }],
    ['resources/read', { uri: 'vault://fixed' }],
    ['resources/read', { uri: 'vault://items/1' }],
    ['prompts/get', { name: 'prompt', arguments: { name: 'x' } }],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'prompt' }, argument: { name: 'name', value: '' } },
    ],
    [
      'completion/complete',
      { ref: { type: 'ref/resource', uri: 'vault://items/{id}' }, argument: { name: 'id', value: '' } },
    ],
  ] as const;

  test.each(['2025-11-25', '2026-07-28'])('shows and serves to whom it allows in %s', async (version) => {
    const client = await clientOf(await appOf({ services: [Vault] }), version, admin);
    expect(await names(client, 'tools')).toEqual(['tool', 'open']);
    expect(await names(client, 'resources')).toEqual(['fixed']);
    expect(await names(client, 'resourceTemplates')).toEqual(['template']);
    expect(await names(client, 'prompts')).toEqual(['prompt']);
    for (const [method, params] of requests) await client.result(method, params);
  });

  test.each(['2025-11-25', '2026-07-28'])(
    'hides and refuses to the others in %s, as if there were no such thing',
    async (version) => {
      calls = 0;
      const client = await clientOf(await appOf({ services: [Vault] }), version, guest);
      expect(await names(client, 'tools')).toEqual(['open']);
      expect(await names(client, 'resources')).toEqual([]);
      expect(await names(client, 'resourceTemplates')).toEqual([]);
      expect(await names(client, 'prompts')).toEqual([]);
      for (const [method, params] of requests) {
        const refused = await client.error(method, params);
        const unknown = JSON.parse(
          JSON.stringify(params)
            .replace(/"(tool|prompt)"/, '"missing"')
            .replace(/vault:\/\/(fixed|items\/\{id\}|items\/1)/, 'missing://x'),
        ) as Record<string, unknown>;
        const { code } = await client.error(method, unknown);
        expect([method, refused.code]).toEqual([method, code]);
      }
      expect(calls).toBe(0);
    },
  );

  test('decides about subscriptions', async () => {
    const app = await appOf({ services: [Vault] });
    const uri = 'vault://fixed';
    const [ada, bob] = [
      await openSession(app, '2025-11-25', {}, admin),
      await openSession(app, '2025-11-25', {}, guest),
    ];
    expect(await ada.result('resources/subscribe', { uri })).toEqual({});
    expect(await bob.error('resources/subscribe', { uri })).toMatchObject({ code: -32002 });
  });

  test('decides about definitions that are functions', async () => {
    const guards = [guard];
    const app = await appOf({
      definitions: [
        defineTool({ name: 'tool', metadata, guards, handle: () => 1 }),
        defineResource({ uri: 'x://y', name: 'y', metadata, guards, handle: () => 'x' }),
        definePrompt({ name: 'prompt', metadata, guards, handle: () => 'x' }),
      ],
    });
    app.tools.add(defineTool({ name: 'late', metadata, guards, handle: () => 1 }));
    const client = await openSession(app, '2025-11-25', {}, guest);
    expect(await names(client, 'tools')).toEqual([]);
    expect(await names(client, 'resources')).toEqual([]);
    expect(await names(client, 'prompts')).toEqual([]);
    for (const name of ['tool', 'late']) await client.error('tools/call', { name });
  });
});
