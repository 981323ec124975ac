import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { FAILURES } from '../../packages/create-mcp-app/dist/failures.js';
import { codeBlocks, compile } from './code-blocks.js';
import { tableRows } from './tables.js';

const PAGE = 'docs/create-mcp-app.md';
const TEMPLATES = 'packages/create-mcp-app/templates';
const run = promisify(execFile);

const help = async (): Promise<string> => {
  const command = 'packages/create-mcp-app/bin/create-mcp-app.mjs';
  return (await run(process.execPath, [command, '--help'])).stdout;
};

describe('the page about create-mcp-app', () => {
  test('has every flag as the command itself tells it, and no other', async () => {
    const told = [...(await help()).matchAll(/^ {2}(-.*)\n {6}(.*)$/gm)].map(([, flag, purpose]) => [
      flag,
      purpose,
    ]);
    expect(told.length).toBeGreaterThan(5);
    expect(await tableRows(PAGE, 'Flags')).toEqual(told);
  });

  test('has every template as the command describes it, and no other', async () => {
    const samples = JSON.parse(await readFile(`${TEMPLATES}/samples.json`, 'utf8')) as Record<
      string,
      { description: string }
    >;
    const described = Object.entries(samples).map(([name, { description }]) => [name, description]);
    expect(await tableRows(PAGE, 'Templates')).toEqual(described);
  });

  test('has files that a project with --auth oauth holds', async () => {
    const args = ['app', '--template', 'http', '--auth', 'oauth', '--dry-run', '--json'];
    const command = 'packages/create-mcp-app/bin/create-mcp-app.mjs';
    const { stdout } = await run(process.execPath, [command, ...args]);
    const { files } = JSON.parse(stdout) as { files: string[] };
    const shown = (await tableRows(PAGE, 'Users who log in')).map(([file]) => file);
    expect(shown.length).toBeGreaterThan(4);
    expect(files).toEqual(expect.arrayContaining(shown));
  });

  test('has a project of --auth oauth show how a preset is used, in code that compiles', async () => {
    const addition = 'packages/create-mcp-app/additions/oauth';
    const blocks = await codeBlocks(`${addition}/README.md`);
    expect(blocks.map(({ name }) => name)).toEqual(['src/auth.ts']);
    const scopes = { name: 'src/scopes.ts', code: await readFile(`${addition}/src/scopes.ts`, 'utf8') };
    await compile([scopes, ...blocks], 'addition-oauth');
  }, 60_000);

  test('has every failure with its exit code and its meaning, and no other', async () => {
    const known = Object.entries(FAILURES).map(([code, { exitCode, meaning }]) => [
      code,
      String(exitCode),
      meaning.replaceAll('`', ''),
    ]);
    expect(await tableRows(PAGE, 'When it is interrupted, and when it fails')).toEqual(known);
  });

  test('has every kind that can be added, and no other', async () => {
    const kinds = (await tableRows(PAGE, 'Adding to a project')).map(([kind]) => kind);
    expect(await help()).toContain(`create-mcp-app add ${kinds.join('|')} <name>`);
  });

  test.each(['minimal', 'http', 'full'])('has only scripts that projects of %s have', async (template) => {
    const shown = (await tableRows(PAGE, 'Scripts of a project')).map(([script]) => script);
    const manifest = JSON.parse(await readFile(`${TEMPLATES}/${template}/package.json`, 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(shown.length).toBeGreaterThan(3);
    expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(shown));
  });
});
