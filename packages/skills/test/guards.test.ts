import { describe, expect, test } from '@jest/globals';
import type { GuardContext } from '@sigil/core';
import { type Files, skillMd } from './fixtures/folder.js';
import { serve } from './fixtures/serve.js';

const FILES: Files = {
  'open/SKILL.md': skillMd('open'),
  'open/notes/internal.md': 'for Ada',
  'open/notes/public.md': 'for all',
  'secret/SKILL.md': skillMd('secret'),
};

/** Ada sees everything; others see neither the secret skill nor what is internal. */
const guard = async ({ definition, principal }: GuardContext): Promise<boolean> =>
  principal?.id === 'ada' || !/secret|internal/.test(definition.name);

const clientOf = (id: string) => serve(FILES, { guards: [guard], client: { principal: { id } } });

const urisOf = (entries: unknown) => (entries as { uri: string }[]).map(({ uri }) => uri);

describe('skills behind guards', () => {
  test('are listed for those who may see them', async () => {
    const forAda = await (await clientOf('ada')).request('skills/list');
    const forEve = await (await clientOf('eve')).request('skills/list');
    expect(urisOf(forAda['skills'])).toEqual(['skill://open/SKILL.md', 'skill://secret/SKILL.md']);
    expect(urisOf(forEve['skills'])).toEqual(['skill://open/SKILL.md']);
    expect([forAda['cacheScope'], forEve['cacheScope']]).toEqual(['private', 'private']);
  });

  test('are got by those who may see them, and are unknown to others', async () => {
    const uri = 'skill://secret/SKILL.md';
    expect(await (await clientOf('ada')).request('skills/get', { uri })).toMatchObject({ skill: { uri } });
    const eve = await clientOf('eve');
    await expect(eve.request('skills/get', { uri })).rejects.toMatchObject({ code: -32602 });
    await expect(eve.readResource(uri)).rejects.toMatchObject({ code: -32602 });
  });

  test('name only the files that can be read', async () => {
    const uri = 'skill://open/SKILL.md';
    const { skill } = await (
      await clientOf('eve')
    ).request<{ skill: { resources: unknown } }>('skills/get', { uri });
    expect(urisOf(skill.resources)).toEqual(['skill://open/SKILL.md', 'skill://open/notes/public.md']);
  });

  test('show no folder of which nothing can be seen', async () => {
    const read = async (id: string, uri: string) =>
      (await clientOf(id)).request('resources/directory/read', { uri });
    expect(await read('ada', 'skill://secret')).toMatchObject({ resources: [{ name: 'secret' }] });
    await expect(read('eve', 'skill://secret')).rejects.toMatchObject({ code: -32602 });
    expect(urisOf((await read('eve', 'skill://open/notes'))['resources'])).toEqual([
      'skill://open/notes/public.md',
    ]);
  });

  test('are paged over what their reader sees', async () => {
    const client = await serve(FILES, {
      app: { pageSize: 1 },
      guards: [guard],
      client: { principal: { id: 'eve' } },
    });
    const page = await client.request('skills/list');
    expect(urisOf(page['skills'])).toEqual(['skill://open/SKILL.md']);
    expect(page).not.toHaveProperty('nextCursor');
  });

  test('are behind the guards of the app too', async () => {
    const client = await serve(FILES, { app: { guards: [() => false] } });
    expect((await client.request('skills/list'))['skills']).toEqual([]);
  });
});
