import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type AppOptions, DEFINITION_CODES } from '@sigil/core';
import { testApp, textOf } from '@sigil/testing';
import { filesOf, manifestOf, read, TEMPLATES } from '../templates/template.js';
import { codeBlocks, compile } from './code-blocks.js';
import { tableRows } from './tables.js';

const TEMPLATE = 'packages/create-mcp-app/templates/minimal';
const PAGE = `${TEMPLATE}/AGENTS.md`;
const text = readFileSync(PAGE, 'utf8');

describe('AGENTS.md of a template', () => {
  const compiled = { folder: '' };
  beforeAll(async () => {
    const app = { name: 'src/app.ts', code: read('minimal', 'src/app.ts') };
    compiled.folder = await compile([app, ...(await codeBlocks(PAGE))], 'agents');
  }, 60_000);

  test('shows a tool that is found and answers as its test says', async () => {
    const { options } = (await import(pathToFileURL(join(compiled.folder, 'src/app.js')).href)) as {
      options: AppOptions;
    };
    await using server = await testApp(options);

    expect(textOf(await server.client.callTool('count_words', { text: 'one two' }))).toBe('2');
  });

  test.each(TEMPLATES)('names scripts and files that are in %s', (template) => {
    const scripts = [...text.matchAll(/\bnpm (?:run )?(\w+)/g)].map(([, script]) => script);
    const files = [...text.matchAll(/`((?:src|test)\/\w+\.ts)`/g)].map(([, path]) => path);

    expect(scripts.length).toBeGreaterThan(3);
    expect(Object.keys(manifestOf(template).scripts)).toEqual(expect.arrayContaining(scripts));
    expect(filesOf(template)).toEqual(expect.arrayContaining(files));
  });

  test('names the folders that generators write to', async () => {
    const folders = (await tableRows(PAGE, 'Folders')).map(([folder]) => folder);

    expect(folders).toEqual(
      expect.arrayContaining(['src/tools/', 'src/resources/', 'src/prompts/', 'src/services/', 'test/']),
    );
  });

  test('says what does not start as the framework says it', async () => {
    const rows = await tableRows(PAGE, 'Mistakes that prevent the start');
    const meanings = DEFINITION_CODES as Readonly<Record<string, string>>;

    expect(rows.length).toBeGreaterThan(5);
    for (const [code = '', meaning] of rows) expect([code, meanings[code]]).toEqual([code, meaning]);
  });
});
