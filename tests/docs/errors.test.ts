import { describe, expect, test } from '@jest/globals';
import { DEFINITION_CODES, ERROR_CODES } from '@sigil/core';
import { tableRows } from './tables.js';

const rows = (heading: string): Promise<string[][]> => tableRows('docs/errors.md', heading);

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
