import { describe, expect, test } from '@jest/globals';
import { type Files, skillMd } from './fixtures/folder.js';
import { serve } from './fixtures/serve.js';

const FILES: Files = {
  'pdf/SKILL.md': skillMd('pdf'),
  'pdf/templates/invoice.md': 'Invoice',
  'pdf/templates/regional/eu.md': 'EU',
  'acme/refunds/SKILL.md': skillMd('refunds'),
};

const read = 'resources/directory/read';

describe('resources/directory/read', () => {
  test('lists what is directly in a folder, as resources/list does', async () => {
    const client = await serve(FILES);
    const result = await client.request(read, { uri: 'skill://pdf/templates' });
    expect(result).toMatchObject({ resultType: 'complete', ttlMs: 0, cacheScope: 'public' });
    const resources = await client.listResources();
    expect(result['resources']).toEqual([
      resources.find(({ uri }) => uri.endsWith('invoice.md')),
      { uri: 'skill://pdf/templates/regional', name: 'regional', mimeType: 'inode/directory' },
    ]);
  });

  test('lists the root of a skill, and the folders that skills are in', async () => {
    const client = await serve(FILES);
    const urisIn = async (uri: string) => {
      const { resources } = await client.request<{ resources: { uri: string }[] }>(read, { uri });
      return resources.map((resource) => resource.uri);
    };
    expect(await urisIn('skill://pdf')).toEqual(['skill://pdf/SKILL.md', 'skill://pdf/templates']);
    expect(await urisIn('skill://acme')).toEqual(['skill://acme/refunds']);
  });

  test.each([
    'skill://none',
    'skill://pdf/SKILL.md',
    'skill://pdf/',
    'skill://',
    'skill://pdf/..',
    '__proto__',
    5,
  ])('refuses %p, which is no folder (-32602)', async (uri) => {
    await expect((await serve(FILES)).request(read, { uri })).rejects.toMatchObject({ code: -32602 });
  });

  test('goes page by page', async () => {
    const client = await serve(FILES, { app: { pageSize: 1 } });
    const first = await client.request(read, { uri: 'skill://pdf' });
    const second = await client.request(read, { uri: 'skill://pdf', cursor: first['nextCursor'] });
    expect([first, second]).toMatchObject([
      { resources: [{ uri: 'skill://pdf/SKILL.md' }] },
      { resources: [{ uri: 'skill://pdf/templates' }] },
    ]);
    expect(second).not.toHaveProperty('nextCursor');
  });
});
