import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { sigil } from '../e2e/sigil-command.js';

const page = readFileSync('docs/guide/building.md', 'utf8');

test('the page about building has a row for every target, and no other', async () => {
  const { stderr } = await sigil('build', '--target', 'none');
  const [, targets = ''] = /--target must be one of (.*), not/.exec(stderr) ?? [];
  const rows = [...page.matchAll(/^\| `(\w+)` +\|/gm)].map(([, name]) => name);

  expect(rows).toEqual(targets.split(', '));
});

test('the page about the command has every option of sigil build', async () => {
  const { stdout } = await sigil('--help');
  const [, synopsis = ''] = /sigil build (.*)/.exec(stdout) ?? [];
  const told = readFileSync('docs/cli.md', 'utf8');

  const options = [...synopsis.matchAll(/--[a-z-]+/g)].map(([option]) => option);
  expect(options).toContain('--external');
  expect(options.filter((option) => !told.includes(`\`${option}`))).toEqual([]);
});
