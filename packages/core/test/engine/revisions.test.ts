import { describe, expect, test } from '@jest/globals';
import { Arg, Complete, Param, Prompt, Resource, Tool, ToolContext } from '../../src/index.js';
import { content, message } from '../../src/content.js';
import { PROTOCOL_VERSIONS } from '../../src/protocol.js';
import { META } from '../../src/transport/index.js';
import { appOf, Client, clientOf, type Json, openSession } from '../harness.js';

/** The revision each member came with: 0 for 2024-11-05, 1 for 2025-03-26, and so on (schema/<revision>/schema.ts). */
const SINCE = {
  tool: {
    name: 0,
    description: 0,
    inputSchema: 0,
    annotations: 1,
    title: 2,
    outputSchema: 2,
    _meta: 2,
    icons: 3,
  },
  resource: {
    uri: 0,
    name: 0,
    description: 0,
    mimeType: 0,
    size: 0,
    annotations: 0,
    title: 2,
    _meta: 2,
    icons: 3,
  },
  template: {
    uriTemplate: 0,
    name: 0,
    description: 0,
    mimeType: 0,
    annotations: 0,
    title: 2,
    _meta: 2,
    icons: 3,
  },
  prompt: { name: 0, description: 0, arguments: 0, title: 2, _meta: 2, icons: 3 },
  promptArgument: { name: 0, description: 0, required: 0, title: 2 },
  implementation: { name: 0, version: 0, title: 2, description: 3, websiteUrl: 3, icons: 3 },
  annotations: { audience: 0, priority: 0, lastModified: 2 },
  text: { type: 0, text: 0, annotations: 0, _meta: 2 },
  audio: { type: 1, data: 1, mimeType: 1, annotations: 1, _meta: 2 },
  embedded: { type: 0, resource: 0, annotations: 0, _meta: 2 },
  contents: { uri: 0, mimeType: 0, text: 0, _meta: 2 },
  link: {
    type: 2,
    uri: 2,
    name: 2,
    title: 2,
    description: 2,
    mimeType: 2,
    size: 2,
    annotations: 2,
    _meta: 2,
    icons: 3,
  },
  callResult: { content: 0, isError: 0, _meta: 0, structuredContent: 2, resultType: 4 },
  readResult: { contents: 0, _meta: 0, resultType: 4, ttlMs: 4, cacheScope: 4 },
  promptResult: { description: 0, messages: 0, _meta: 0, resultType: 4 },
  progress: { progressToken: 0, progress: 0, total: 0, message: 1 },
} satisfies Record<string, Record<string, number>>;

const icons = [{ src: 'https://example.com/icon.png' }];
const annotations = { audience: ['user'], priority: 1, lastModified: '2026-01-01T00:00:00Z' } as const;
const extras = { annotations, _meta: { note: 1 } };
const shown = { title: 'Title', description: 'Description', icons, meta: { note: 1 } };
const contents = { uri: 'x://y', mimeType: 'text/plain', text: 'x', _meta: { note: 1 } };
const blocks = [
  content.text('text', extras),
  content.audio('AAAA', 'audio/wav', extras),
  content.resource(contents, extras),
  content.resourceLink('x://y', 'y', {
    title: 'Y',
    description: 'd',
    mimeType: 'text/plain',
    size: 1,
    icons,
    ...extras,
  }),
];

class Everything {
  @Tool({ ...shown, readOnly: true, output: { type: 'object', properties: { a: { type: 'number' } } } })
  all(context: ToolContext) {
    context.progress(1, 2, 'half');
    return { content: blocks, structuredContent: { a: 1 }, isError: true, _meta: { note: 1 } };
  }
  @Resource('config://app', { ...shown, mimeType: 'text/plain', size: 1, annotations })
  resource() {
    return { contents: [contents], _meta: { note: 1 } };
  }
  @Resource('users://{id}', { ...shown, mimeType: 'text/plain', annotations })
  template(@Param('id') id: string) {
    return id;
  }
  @Prompt(shown)
  prompt(@Arg('name', { title: 'Name', description: 'Whose' }) _name: string) {
    return { description: 'd', messages: blocks.map((block) => message.user(block)), _meta: { note: 1 } };
  }
}
const app = await appOf({
  services: [Everything],
  title: 'Test',
  description: 'd',
  websiteUrl: 'https://example.com',
  icons,
});

function membersOf(kind: keyof typeof SINCE, revision: number): string[] {
  return Object.entries(SINCE[kind])
    .filter(([, since]) => since <= revision)
    .map(([member]) => member)
    .sort();
}
const keys = (value: unknown): string[] => Object.keys(value as Json).sort();

describe.each(PROTOCOL_VERSIONS.map((version, revision) => [version, revision] as const))(
  'revision %s',
  (version, revision) => {
    const expectMembers = (value: unknown, kind: keyof typeof SINCE): void =>
      expect(keys(value)).toEqual(membersOf(kind, revision));
    const expectContent = (content: Json[]): void => {
      const [said, heard, held, pointed] = content;
      expectMembers(said, 'text');
      expectMembers(said?.['annotations'], 'annotations');
      expectMembers(held, 'embedded');
      expectMembers(held?.['resource'], 'contents');
      if (revision >= 1) expectMembers(heard, 'audio');
      else expect(keys(heard)).toEqual(['text', 'type']);
      if (revision >= 2) expectMembers(pointed, 'link');
      else expect(keys(pointed)).toEqual(['text', 'type']);
    };

    test('shows definitions with the members it knows, and no others', async () => {
      const client = await clientOf(app, version);
      expectMembers((await client.list('tools'))[0], 'tool');
      const [resource] = await client.list('resources');
      expectMembers(resource, 'resource');
      expectMembers(resource?.['annotations'], 'annotations');
      expectMembers((await client.list('resourceTemplates'))[0], 'template');
      const [prompt] = await client.list('prompts');
      expectMembers(prompt, 'prompt');
      expectMembers((prompt?.['arguments'] as Json[])[0], 'promptArgument');
    });

    test('shows the result of a tool with the members it knows [checklist 10]', async () => {
      const result = await (await clientOf(app, version)).call('all');
      expectMembers(result, 'callResult');
    });

    test('shows the content of a tool with the members it knows', async () => {
      const result = await (await clientOf(app, version)).call('all');
      expectContent(result['content'] as Json[]);
    });

    test('shows a prompt with the members it knows [checklist 10]', async () => {
      const client = await clientOf(app, version);
      const result = await client.result('prompts/get', { name: 'prompt', arguments: { name: 'x' } });
      expectMembers(result, 'promptResult');
      expectContent((result['messages'] as Json[]).map(({ content }) => content as Json));
    });

    test('shows the contents of a resource with the members it knows [checklist 10] [checklist 39]', async () => {
      const result = await (await clientOf(app, version)).result('resources/read', { uri: 'config://app' });
      expectMembers(result, 'readResult');
      expectMembers((result['contents'] as Json[])[0], 'contents');
    });

    test('keeps what an author says in the _meta of a result', async () => {
      const client = await clientOf(app, version);
      for (const [method, params] of [
        ['tools/call', { name: 'all' }],
        ['resources/read', { uri: 'config://app' }],
        ['prompts/get', { name: 'prompt', arguments: { name: 'x' } }],
      ] as const) {
        expect((await client.result(method, params))['_meta']).toMatchObject({ note: 1 });
      }
    });

    test('gives results without members of its own beside those of a later revision', async () => {
      const client = await clientOf(app, version);
      const result = await client.result('tools/list');
      const cacheable = ['cacheScope', 'resultType', 'ttlMs', '_meta'];
      expect(cacheable.filter((member) => member in result)).toEqual(revision === 4 ? cacheable : []);
      if (revision === 4) {
        expect(result).toMatchObject({ resultType: 'complete', ttlMs: 0, cacheScope: 'public' });
        expect(result['_meta']).toHaveProperty([META.serverInfo, 'name'], 'test');
      }
    });

    test('reports progress with the members it knows', async () => {
      const client = await clientOf(app, version);
      await client.call('all', {}, { progressToken: 't' });
      expectMembers(client.heard('notifications/progress')[0], 'progress');
    });

    test('says who the server is with the members it knows', async () => {
      if (revision === 4) {
        const result = await (await clientOf(app, version)).result('server/discover');
        expectMembers((result['_meta'] as Json)[META.serverInfo], 'implementation');
        return;
      }
      const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'x', version: '1' } };
      const result = await new Client(app).result('initialize', params);
      expectMembers(result['serverInfo'], 'implementation');
      expect('completions' in (result['capabilities'] as Json)).toBe(false);
    });
  },
);

test.each([
  ['2024-11-05', {}],
  ['2025-03-26', { annotations: { title: 'Title', readOnlyHint: true } }],
  ['2025-06-18', { title: 'Title', annotations: { readOnlyHint: true } }],
])('the title of a tool stands where clients of %s look for it', async (version, shape) => {
  const [tool] = await (await clientOf(app, version)).list('tools');
  const { title, annotations: hints } = tool ?? {};
  expect({ ...(title ? { title } : {}), ...(hints ? { annotations: hints } : {}) }).toEqual(shape);
});

test.each([
  ['2024-11-05', [{ type: 'text', text: '[audio of type audio/wav, left out]' }, content.text('Well?')]],
  ['2025-03-26', [content.audio('AAAA', 'audio/wav'), content.text('Well?')]],
])('a model of a client of %s is sent the blocks it knows, one a message', async (version, blocksSent) => {
  class Models {
    @Tool()
    async hear(context: ToolContext) {
      const blocks = [content.audio('AAAA', 'audio/wav'), content.text('Well?')];
      return (await context.sample({ messages: [{ role: 'user', content: blocks }], maxTokens: 1 })).model;
    }
  }
  const asked: unknown[] = [];
  const answer = ({ params }: { params?: Json }) => {
    asked.push(params?.['messages']);
    return { role: 'assistant', model: 'm', content: content.text('heard') };
  };
  const models = await appOf({ services: [Models] });
  const client = await openSession(models, version, { sampling: {} }, { answer });
  expect(await client.call('hear')).toMatchObject({ content: [{ text: 'm' }] });
  expect(asked).toEqual([blocksSent.map((content) => ({ role: 'user', content }))]);
});

test('the completions capability came with 2025-03-26', async () => {
  class Greetings {
    @Prompt()
    greet(@Arg('name') name: string) {
      return name;
    }
    @Complete('greet', 'name')
    names() {
      return [];
    }
  }
  const greetings = await appOf({ services: [Greetings] });
  const capabilities = async (protocolVersion: string) =>
    (await new Client(greetings).result('initialize', { protocolVersion, capabilities: {} }))['capabilities'];
  expect(await capabilities('2024-11-05')).not.toHaveProperty('completions');
  expect(await capabilities('2025-03-26')).toHaveProperty('completions');
});
