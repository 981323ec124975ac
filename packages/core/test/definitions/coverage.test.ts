import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { DEFINITION_CODES } from '../../src/index.js';

/** Codes whose tests need another process or another package, and where those are. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  SIGIL_NO_RUNTIME: 'tests/: needs an installation without the runtime packages',
  SIGIL_INVALID_SKILL: 'packages/skills/test/problems.test.ts',
};

const folder = fileURLToPath(new URL('../', import.meta.url));
const self = fileURLToPath(import.meta.url);
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => folder + file)
  .filter((file) => file !== self)
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');

test.each(Object.keys(DEFINITION_CODES).filter((code) => !(code in ELSEWHERE)))(
  '%s is provoked by a test of this package',
  (code) => {
    expect(sources.includes(code)).toBe(true);
  },
);

test('every code said to be covered elsewhere is still a code', () => {
  expect(Object.keys(DEFINITION_CODES)).toEqual(expect.arrayContaining(Object.keys(ELSEWHERE)));
});
