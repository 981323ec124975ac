import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { DEFINITION_CODES, ERROR_CODES } from '@sigil/core';

async function rows(heading: string): Promise<string[][]> {
  const page = await readFile('docs/errors.md', 'utf8');
  const section = page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  const cells = lines.slice(2).map((line) => line.split('|').slice(1, -1));
  return cells.map((row) => row.map((cell) => cell.trim().replaceAll('`', '')));
}

describe('the page about errors', () => {
  test('has every code of definition errors with its meaning, and no other', async () => {
    const shown = (await rows('Codes of definition errors')).map(([code, meaning]) => [
      code,
      meaning?.replaceAll('`', ''),
    ]);
    const known = Object.entries(DEFINITION_CODES).map(([code, meaning]) => [
      code,
      meaning.replaceAll('`', ''),
    ]);
    expect(shown).toEqual(known);
  });

  test('has every code that crosses the wire, and no other', async () => {
    const shown = (await rows('Codes that cross the wire')).map(([code, name]) => [name, Number(code)]);
    expect(shown).toEqual(Object.entries(ERROR_CODES));
  });
});
