import { describe, expect, test } from '@jest/globals';
import {
  type AppOptions,
  definePrompt,
  defineResource,
  defineTool,
  Param,
  Resource,
  ResourceContext,
} from '../../src/index.js';
import {
  appOf,
  type Client,
  clientOf,
  type Json,
  problemsOf,
  recordingLogger,
  statelessClient,
} from '../harness.js';

const LISTS = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'server/discover'];

/** A server with something of every kind; `open://a` says nothing about itself, `own://a` and `own://{id}` do. */
async function serve(options: Partial<AppOptions> = {}): Promise<Client> {
  const cache = { ttlMs: 7, cacheScope: 'public' } as const;
  const handle = () => 'x';
  const definitions = [
    defineTool({ name: 'tool', handle }),
    definePrompt({ name: 'prompt', handle }),
    defineResource({ name: 'open', uri: 'open://a', handle }),
    defineResource({ name: 'own', uri: 'own://a', handle, cache }),
    defineResource({ name: 'template', uri: 'own://{id}/b', handle, cache: { ttlMs: 8 } }),
  ];
  return statelessClient(await appOf({ definitions, ...options }));
}

/** A server with two resources behind a guard; `gated://b` says that everybody may keep it. */
async function serveGuarded(cache: NonNullable<AppOptions['cache']>): Promise<Client> {
  const guards = [() => true];
  const handle = () => 'x';
  const definitions = [
    defineResource({ name: 'a', uri: 'gated://a', handle, guards }),
    defineResource({ name: 'b', uri: 'gated://b', handle, guards, cache: { cacheScope: 'public' } }),
  ];
  return statelessClient(await appOf({ definitions, cache }));
}

const hintOf = ({ ttlMs, cacheScope }: Json): unknown[] => [ttlMs, cacheScope];
const read = async (client: Client, uri: string) => hintOf(await client.result('resources/read', { uri }));
const listed = async (client: Client, method: string) => hintOf(await client.result(method));

describe('a result that clients may keep', () => {
  test.each(LISTS)('of %s is stale at once and for everybody by default [checklist 39]', async (method) => {
    expect(await listed(await serve(), method)).toEqual([0, 'public']);
  });

  test('of resources/read is stale at once and for nobody else by default [checklist 39]', async () => {
    expect(await read(await serve(), 'open://a')).toEqual([0, 'private']);
  });

  test('says what the app says', async () => {
    const client = await serve({ cache: { ttlMs: 5, cacheScope: 'public' } });
    expect(await listed(client, 'tools/list')).toEqual([5, 'public']);
    expect(await listed(client, 'server/discover')).toEqual([5, 'public']);
    expect(await read(client, 'open://a')).toEqual([5, 'public']);
  });

  test('says what the app says of its method, rather than of all', async () => {
    const methods = {
      'tools/list': { cacheScope: 'private' },
      'server/discover': { ttlMs: 1 },
      'resources/read': { ttlMs: 2, cacheScope: 'public' },
    } as const;
    const client = await serve({ cache: { ttlMs: 5, methods } });
    expect(await listed(client, 'tools/list')).toEqual([5, 'private']);
    expect(await listed(client, 'server/discover')).toEqual([1, 'public']);
    expect(await listed(client, 'prompts/list')).toEqual([5, 'public']);
    expect(await read(client, 'open://a')).toEqual([2, 'public']);
  });

  test('says what its definition says, rather than the app', async () => {
    const client = await serve({ cache: { ttlMs: 5, cacheScope: 'private' } });
    expect(await read(client, 'own://a')).toEqual([7, 'public']);
    expect(await read(client, 'own://x/b')).toEqual([8, 'private']);
  });

  test('says what it says itself, rather than its definition', async () => {
    class Texts {
      @Resource('text://{id}', { cache: { ttlMs: 7, cacheScope: 'public' } })
      text(@Param('id') id: string, { uri }: ResourceContext) {
        const contents = [{ uri, text: id }];
        if (id === 'both') return { contents, ttlMs: 1, cacheScope: 'private' };
        return id === 'one' ? { contents, ttlMs: 1 } : { contents };
      }
    }
    const client = statelessClient(await appOf({ services: [Texts] }));
    expect(await read(client, 'text://both')).toEqual([1, 'private']);
    expect(await read(client, 'text://one')).toEqual([1, 'public']);
    expect(await read(client, 'text://none')).toEqual([7, 'public']);
  });

  test('is never for everybody when a guard stands before it, unless its definition says so', async () => {
    const client = await serveGuarded({ cacheScope: 'public', ttlMs: 5 });
    expect(await read(client, 'gated://a')).toEqual([5, 'private']);
    expect(await read(client, 'gated://b')).toEqual([5, 'public']);
  });

  test('is never for everybody when it is a list that guards filter, whatever the app says', async () => {
    const methods = { 'resources/list': { cacheScope: 'public' } } as const;
    const client = await serveGuarded({ cacheScope: 'public', methods });
    expect(await listed(client, 'resources/list')).toEqual([0, 'private']);
    expect(await listed(client, 'resources/templates/list')).toEqual([0, 'public']);
  });

  test('is not to be kept when it is what answers gave', async () => {
    const cache = { ttlMs: 7, cacheScope: 'public' } as const;
    const asking = defineResource({
      name: 'asking',
      uri: 'asking://a',
      cache,
      handle: async (_variables, context) => (await context.elicitUrl('Look', 'https://a.example')).action,
    });
    const client = statelessClient(await appOf({ definitions: [asking] }), { elicitation: { url: {} } });
    const asked = await client.result('resources/read', { uri: 'asking://a' });
    expect(hintOf(asked)).toEqual([undefined, undefined]);
    const inputResponses = { 'question-1': { action: 'accept' } };
    const params = { uri: 'asking://a', inputResponses, requestState: asked['requestState'] };
    const answered = await client.result('resources/read', params);
    expect([answered['resultType'], ...hintOf(answered)]).toEqual(['complete', 0, 'private']);
  });

  test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'says nothing of it in revision %s [checklist 10]',
    async (version) => {
      const handle = (_variables: unknown, { uri }: ResourceContext) => ({
        contents: [{ uri, text: 'x' }],
        ttlMs: 1,
        cacheScope: 'public',
      });
      const app = await appOf({ definitions: [defineResource({ name: 'a', uri: 'a://a', handle })] });
      const client = await clientOf(app, version);
      expect(Object.keys(await client.result('resources/read', { uri: 'a://a' }))).toEqual(['contents']);
      expect(Object.keys(await client.result('resources/list'))).toEqual(['resources']);
    },
  );

  test.each([
    ['ttlMs', { ttlMs: -1 }],
    ['ttlMs', { ttlMs: '5' }],
    ['cacheScope', { cacheScope: 'everybody' }],
  ])('is an error when its own %s is out of range: %j', async (member, hint) => {
    const logger = recordingLogger();
    const handle = () => ({ contents: [{ uri: 'a://a', text: 'x' }], ...hint });
    const definitions = [defineResource({ name: 'a', uri: 'a://a', handle })];
    const client = statelessClient(await appOf({ definitions, logger }));
    expect((await client.error('resources/read', { uri: 'a://a' })).code).toBe(-32603);
    expect(String(logger.lines[0]?.details['err'])).toContain(`"${member}"`);
  });
});

describe('SIGIL_INVALID_OPTIONS', () => {
  test.each<[string, unknown]>([
    ['cache', 5],
    ['cache', null],
    ['cache.methods', { methods: [] }],
    ['cache.cacheScope', { cacheScope: 'all' }],
    ['cache.methods.tools/call', { methods: { 'tools/call': { ttlMs: 1 } } }],
    ["cache.methods['tools/list']", { methods: { 'tools/list': 1 } }],
    ["cache.methods['tools/list'].ttlMs", { methods: { 'tools/list': { ttlMs: 1e999 } } }],
  ])('names %s when it is out of range: %j', async (option, cache) => {
    expect(await problemsOf({ cache: cache as NonNullable<AppOptions['cache']> })).toEqual([
      expect.objectContaining({ code: 'SIGIL_INVALID_OPTIONS', where: `createApp({ ${option} })` }),
    ]);
  });

  test.each<[string, unknown]>([
    ['cache', 5],
    ['cache', null],
    ['cache.ttlMs', { ttlMs: -1 }],
    ['cache.cacheScope', { cacheScope: 'all' }],
  ])('names %s of a resource when it is out of range: %j', async (member, cache) => {
    class Texts {
      @Resource('text://a', { cache: cache as { ttlMs: number } })
      text() {
        return 'x';
      }
    }
    expect(await problemsOf({ services: [Texts] })).toEqual([
      expect.objectContaining({ code: 'SIGIL_INVALID_OPTIONS', where: `Texts.text, ${member}` }),
    ]);
  });
});
