import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { defineResource } from '@sigil/core';
import { connect } from '@sigil/testing';
import { type Files, skillMd } from './fixtures/folder.js';
import { appOf, serve } from './fixtures/serve.js';

const FILES: Files = {
  'git-workflow/SKILL.md': skillMd('git-workflow'),
  'acme/billing/refunds/SKILL.md': skillMd('refunds', 'license: MIT\nmetadata: { version: "2.1" }\n'),
  'acme/billing/refunds/examples/email.md': 'Dear customer',
  'acme/README.md': 'In no skill',
  'git-workflow/.hidden': 'secret',
};

const REFUNDS = 'skill://acme/billing/refunds/SKILL.md';

const digest = (contents: string | Uint8Array): string =>
  `sha256:${createHash('sha256').update(contents).digest('hex')}`;

const entryOf = (path: string) => {
  const contents = FILES[path] ?? '';
  return { uri: `skill://${path}`, digest: digest(contents), size: contents.length };
};

const refunds = {
  uri: REFUNDS,
  frontmatter: {
    name: 'refunds',
    description: 'How to refunds',
    license: 'MIT',
    metadata: { version: '2.1' },
  },
  resources: [entryOf('acme/billing/refunds/SKILL.md'), entryOf('acme/billing/refunds/examples/email.md')],
};

describe('skills', () => {
  test('are announced, with what the server can do with them', async () => {
    const { capabilities } = await (await serve(FILES)).discover();
    expect(capabilities).toMatchObject({
      resources: {},
      extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } },
    });
  });

  test.each(['2025-03-26', '2025-11-25'] as const)(
    'are announced in sessions of %s, too',
    async (revision) => {
      const { server } = await serve(FILES, { client: { revision } });
      expect(server?.capabilities).toMatchObject({
        extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } },
      });
    },
  );

  test('are not announced when there are none', async () => {
    const { capabilities } = await (await serve({ 'README.md': 'none yet' })).discover();
    expect(capabilities).not.toHaveProperty('extensions');
  });

  test('are listed with their frontmatter as it was written, and every file', async () => {
    const result = await (await serve(FILES)).request('skills/list');
    expect(result).toMatchObject({ resultType: 'complete', ttlMs: 0, cacheScope: 'public' });
    expect(result).not.toHaveProperty('nextCursor');
    expect(result['skills']).toEqual([
      refunds,
      {
        uri: 'skill://git-workflow/SKILL.md',
        frontmatter: { name: 'git-workflow', description: 'How to git-workflow' },
        resources: [entryOf('git-workflow/SKILL.md')],
      },
    ]);
  });

  test('are got one at a time', async () => {
    const result = await (
      await serve(FILES, { app: { cache: { ttlMs: 700 } } })
    ).request('skills/get', { uri: REFUNDS });
    expect(result).toMatchObject({ skill: refunds, ttlMs: 700, cacheScope: 'public' });
  });

  test.each([
    'skill://none/SKILL.md',
    'skill://acme/billing/refunds',
    'skill://acme/billing/refunds/examples/email.md',
    'skill://git-workflow/../git-workflow/SKILL.md',
    'skill://acme%2Fbilling%2Frefunds/SKILL.md',
    'skill://__proto__/SKILL.md',
    '__proto__',
    'constructor',
    '',
  ])('are not got by %p (-32602)', async (uri) => {
    await expect((await serve(FILES)).request('skills/get', { uri })).rejects.toMatchObject({ code: -32602 });
  });

  test.each([undefined, 5, ['skill://git-workflow/SKILL.md']])('are got by a string, not %p', async (uri) => {
    const client = await serve(FILES);
    await expect(client.request('skills/get', { uri })).rejects.toMatchObject({ code: -32602 });
  });

  test('are served page by page', async () => {
    const client = await serve(FILES, { app: { pageSize: 1 } });
    const first = await client.request('skills/list');
    const second = await client.request('skills/list', { cursor: first['nextCursor'] });
    expect([first['skills'], second['skills']]).toMatchObject([
      [{ uri: REFUNDS }],
      [{ uri: 'skill://git-workflow/SKILL.md' }],
    ]);
    expect(second).not.toHaveProperty('nextCursor');
  });

  test.each(['', 'nonsense', 'x'.repeat(1_000_000), 5, null, '__proto__', 'ZnJvbTotMQ', 'ZnJvbTowMQ'])(
    'know no cursor of others: %#',
    async (cursor) => {
      const client = await serve(FILES);
      await expect(client.request('skills/list', { cursor })).rejects.toMatchObject({ code: -32602 });
    },
  );

  test('nest: the files of a skill within a skill belong to both', async () => {
    const client = await serve({
      'outer/SKILL.md': skillMd('outer'),
      'outer/inner/SKILL.md': skillMd('inner'),
      'outer/inner/notes.txt': 'notes',
    });
    const { skills } = await client.request<{ skills: { resources: { uri: string }[] }[] }>('skills/list');
    expect(skills.map(({ resources }) => resources.map(({ uri }) => uri))).toEqual([
      ['skill://outer/SKILL.md', 'skill://outer/inner/SKILL.md', 'skill://outer/inner/notes.txt'],
      ['skill://outer/inner/SKILL.md', 'skill://outer/inner/notes.txt'],
    ]);
  });

  test('are found and read in the sessions they are announced in', async () => {
    const client = await serve(FILES, { client: { revision: '2025-11-25' } });
    const modern = await serve(FILES);
    const directory = REFUNDS.slice(0, REFUNDS.lastIndexOf('/'));
    for (const [method, uri] of [
      ['skills/list', REFUNDS],
      ['skills/get', REFUNDS],
      ['resources/directory/read', directory],
    ] as const) {
      const found = await client.request<object>(method, { uri });
      const { resultType, ttlMs, cacheScope, _meta, ...same } = await modern.request<Record<string, unknown>>(
        method,
        { uri },
      );
      expect([resultType, ttlMs, cacheScope]).toEqual(['complete', 0, 'public']);
      expect(_meta).toBeDefined();
      expect(found).toEqual(same);
    }
    expect(await client.readResource(REFUNDS)).toMatchObject({
      contents: [{ text: FILES[REFUNDS.slice(8)] }],
    });
  });
});

describe('the frontmatter of skills', () => {
  test('is JSON with every member the author wrote, whatever its name', async () => {
    const more =
      '__proto__: { admin: true }\nconstructor: 1\nsince: 2026-07-28\nnested: { list: [1, null, yes] }\n';
    const client = await serve({ 'odd/SKILL.md': skillMd('odd', more) });
    const { skills } = await client.request<{ skills: object[] }>('skills/list');
    expect(JSON.parse(JSON.stringify(skills[0]))).toHaveProperty('frontmatter', {
      name: 'odd',
      description: 'How to odd',
      ['__proto__']: { admin: true },
      constructor: 1,
      since: '2026-07-28',
      nested: { list: [1, null, 'yes'] },
    });
    expect({}).not.toHaveProperty('admin');
  });
});

describe('the files of skills', () => {
  test('are resources; the main one is named and described by its frontmatter', async () => {
    const resources = await (await serve(FILES)).listResources();
    expect(resources).toEqual([
      {
        uri: REFUNDS,
        name: 'refunds',
        description: 'How to refunds',
        mimeType: 'text/markdown',
        size: FILES['acme/billing/refunds/SKILL.md']?.length,
      },
      {
        uri: 'skill://acme/billing/refunds/examples/email.md',
        name: 'email.md',
        mimeType: 'text/markdown',
        size: 13,
      },
      expect.objectContaining({ uri: 'skill://git-workflow/SKILL.md', name: 'git-workflow' }),
    ]);
  });

  test('are what their digests say, whatever is in them', async () => {
    const files: Files = {
      'odd/SKILL.md': `\uFEFF${skillMd('odd')}`,
      'odd/picture.png': new Uint8Array([137, 80, 78, 71, 0, 255]),
      'odd/data': new Uint8Array([0xff, 0xfe]),
      'odd/plain': 'Grüße\r\n\0',
      'odd/empty.json': '',
    };
    const client = await serve(files);
    const { skill } = await client.request<{
      skill: { resources: { uri: string; digest: string; size: number }[] };
    }>('skills/get', { uri: 'skill://odd/SKILL.md' });
    const types: Record<string, unknown> = {};
    for (const { uri, digest: promised, size } of skill.resources) {
      const [contents] = (await client.readResource(uri)).contents;
      if (!contents) throw new Error(`no contents of ${uri}`);
      const bytes = 'text' in contents ? Buffer.from(contents.text) : Buffer.from(contents.blob, 'base64');
      expect([digest(bytes), bytes.length]).toEqual([promised, size]);
      types[uri] = [contents.mimeType, 'text' in contents ? 'text' : 'blob'];
    }
    expect(types).toEqual({
      'skill://odd/SKILL.md': ['text/markdown', 'text'],
      'skill://odd/data': ['application/octet-stream', 'blob'],
      'skill://odd/empty.json': ['application/json', 'text'],
      'skill://odd/picture.png': ['image/png', 'blob'],
      'skill://odd/plain': ['text/plain', 'text'],
    });
  });

  test('have URIs in which no name means more than a name', async () => {
    const files: Files = {
      'Two Words/odd/SKILL.md': skillMd('odd'),
      "Two Words/odd/{a}?b#c%20'(d)!.txt": 'found',
      'Two Words/odd/ü/__proto__': 'found',
    };
    const client = await serve(files);
    const uris = [
      'skill://Two%20Words/odd/%7Ba%7D%3Fb%23c%2520%27%28d%29%21.txt',
      'skill://Two%20Words/odd/%C3%BC/__proto__',
    ];
    for (const uri of uris)
      expect(await client.readResource(uri)).toMatchObject({ contents: [{ uri, text: 'found' }] });
  });

  test('are gone from their skill when they are gone from the app', async () => {
    const app = await appOf(FILES);
    const client = await connect(app);
    app.resources.remove('skill://acme/billing/refunds/examples/email.md');
    app.resources.remove('skill://git-workflow/SKILL.md');
    const { skills } = await client.request('skills/list');
    expect(skills).toEqual([{ ...refunds, resources: refunds.resources.slice(0, 1) }]);
  });

  test('are not said to be what was put in their place', async () => {
    const app = await appOf(FILES);
    const client = await connect(app);
    app.resources.remove(REFUNDS);
    app.resources.add(defineResource({ name: 'other', uri: REFUNDS, handle: () => 'other' }));
    await expect(client.request('skills/get', { uri: REFUNDS })).rejects.toMatchObject({ code: -32602 });
  });
});
