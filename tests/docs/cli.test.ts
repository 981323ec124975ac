import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { CHECK_CODES } from '../../packages/cli/dist/check/findings.js';
import { EXIT_CODES } from '../../packages/cli/dist/failures.js';
import { codeBlocks, compile } from './code-blocks.js';
import { tableRows } from './tables.js';

const run = promisify(execFile);

describe('the page about the command', () => {
  test('has every code of findings with its meaning, and no other', async () => {
    const shown = (await tableRows('docs/cli.md', 'Codes of findings')).map(([code, meaning]) => [
      code,
      meaning,
    ]);
    expect(shown).toEqual(Object.entries(CHECK_CODES));
  });

  test('has every command as the command itself tells it, and no other', async () => {
    const { stdout } = await run(process.execPath, ['packages/cli/bin/sigil.mjs', '--help']);
    const told = [...stdout.matchAll(/^ {2}(sigil .*)$/gm)].map(([, synopsis]) => synopsis);
    const page = (await readFile('docs/cli.md', 'utf8')).replaceAll('\\|', '|');
    const shown = [...page.matchAll(/^\| `(sigil [^`]*)`/gm)].map(([, synopsis]) => synopsis);
    expect(shown.sort()).toEqual(told.sort());
  });

  test('has every exit code, and no other', async () => {
    const page = await readFile('docs/cli.md', 'utf8');
    const shown = [...page.matchAll(/^\| (\d+) +\|/gm)].map(([, code]) => Number(code));
    expect(shown).toEqual(Object.values(EXIT_CODES));
  });

  test('shows a test of a manifest that passes', async () => {
    const dist = await compile(await codeBlocks('docs/cli.md'), 'cli');
    await expect(run(process.execPath, [join(dist, 'manifest.test.js')])).resolves.toBeDefined();
  }, 60_000);
});
