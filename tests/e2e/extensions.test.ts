import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { type Kind, type Official, type Place, v2Auto, v2Legacy } from './clients.js';
import { serveEverything } from './each-full-client.js';
import { EVERYTHING, endProcesses } from './processes.js';

const VIEW = 'ui://colors/view.html';
const PALETTES = 'skill://color-palettes/SKILL.md';
const NOTES = 'skill://writing/release-notes/SKILL.md';

const Resources = z.array(z.object({ uri: z.string(), digest: z.string(), size: z.number() }));
const Skill = z.object({
  uri: z.string(),
  frontmatter: z.record(z.string(), z.unknown()),
  resources: Resources,
});
const SkillList = z.object({ skills: z.array(Skill), ttlMs: z.number(), cacheScope: z.string() });
const OneSkill = z.object({ skill: Skill });
const DirectoryList = z.object({ resources: z.array(z.record(z.string(), z.unknown())) });

afterAll(endProcesses);

describe.each(['stdio', 'HTTP'])('over %s', (where) => {
  const opened: Official[] = [];

  async function open(kind: Kind, place: Place): Promise<Client> {
    const official = await kind.connect(place);
    opened.push(official);
    return official.client as Client;
  }

  const place = async (): Promise<Place> =>
    where === 'HTTP' ? { address: await serveEverything() } : { script: EVERYTHING };

  afterAll(() => Promise.all(opened.map(({ client }) => client.close())));

  describe.each([v2Auto, v2Legacy('2025-11-25')].map((kind) => [kind.name, kind] as const))(
    '%s',
    (_name, kind) => {
      let client: Client;

      beforeAll(async () => {
        client = await open(kind, await place());
      }, 20_000);

      test('learns that there are UIs', () => {
        const { extensions } = client.getServerCapabilities() ?? {};
        expect(extensions).toMatchObject({ 'io.modelcontextprotocol/ui': {} });
      });

      test('finds the UI of a tool', async () => {
        const { tools } = await client.listTools();
        expect(tools.find(({ name }) => name === 'mix_color')?._meta).toEqual({
          ui: { resourceUri: VIEW },
          'ui/resourceUri': VIEW,
        });
      });

      test('reads the UI, and what it asks for', async () => {
        const { contents } = await client.readResource({ uri: VIEW });
        expect(contents).toMatchObject([
          {
            mimeType: 'text/html;profile=mcp-app',
            text: expect.stringMatching(/^<!doctype html>/),
            _meta: { ui: { prefersBorder: true } },
          },
        ]);
      });

      test('reads the files of skills', async () => {
        const { contents } = await client.readResource({ uri: NOTES });
        expect(contents).toMatchObject([
          { mimeType: 'text/markdown', text: expect.stringMatching(/^---\nname: release-notes\n/) },
        ]);
      });
    },
  );

  describe('client v2 in auto mode', () => {
    let client: Client;

    beforeAll(async () => {
      client = await open(v2Auto, await place());
    }, 20_000);

    test('lists skills, whose files are what was promised', async () => {
      const { skills } = await client.request({ method: 'skills/list', params: {} }, SkillList);
      expect(skills.map(({ uri }) => uri)).toEqual([PALETTES, NOTES]);
      for (const { uri, digest } of skills.flatMap(({ resources }) => resources)) {
        const [contents] = (await client.readResource({ uri })).contents;
        const text = contents && 'text' in contents ? contents.text : '';
        expect(`sha256:${createHash('sha256').update(text).digest('hex')}`).toBe(digest);
      }
    });

    test('gets a skill', async () => {
      const { skill } = await client.request({ method: 'skills/get', params: { uri: NOTES } }, OneSkill);
      expect(skill).toMatchObject({
        uri: NOTES,
        frontmatter: { name: 'release-notes', metadata: { version: '1.0' } },
      });
    });

    test('is told when there is no such skill', async () => {
      const request = { method: 'skills/get', params: { uri: 'skill://none/SKILL.md' } };
      await expect(client.request(request, OneSkill)).rejects.toMatchObject({ code: -32602 });
    });

    test('reads a folder', async () => {
      const request = { method: 'resources/directory/read', params: { uri: 'skill://color-palettes' } };
      const { resources } = await client.request(request, DirectoryList);
      expect(resources).toMatchObject([
        { uri: PALETTES, name: 'color-palettes' },
        { uri: 'skill://color-palettes/references', mimeType: 'inode/directory' },
      ]);
    });
  });
});
