import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { countPatterns, findPatterns, proseFiles } from '../../scripts/english.mjs';

/** More than that is a step back: `npm run docs:english -- --list` prints each place. */
const MOST = {
  comments: { chains: 0, 'two clauses': 0, told: 0, idioms: 0, 'of which': 1, 'clause first': 0, long: 2 },
  messages: { chains: 0, 'two clauses': 0, told: 0, idioms: 0, 'of which': 0, 'clause first': 5, long: 0 },
  pages: { chains: 0, 'two clauses': 0, told: 0, idioms: 0, 'of which': 0, 'clause first': 1, long: 0 },
};

const namesIn = (path: string, text: string): string[] => findPatterns(path, text).map(({ name }) => name);

test('the prose of packages and pages has no more patterns that need two readings than it had', () => {
  const findings = proseFiles('.').flatMap((path) => findPatterns(path, readFileSync(path, 'utf8')));
  const counts = countPatterns(findings);
  const more = Object.entries(MOST).flatMap(([kind, most]) =>
    Object.entries(most).filter(([name, limit]) => (counts[kind]?.[name] ?? Infinity) > limit),
  );
  expect(more).toEqual([]);
  expect(Object.keys(counts['comments'] ?? {})).toEqual(Object.keys(MOST.comments));
});

describe('the patterns', () => {
  test.each([
    ['It names that which shows what is served where it is.', 'chains'],
    ['It says who reads what.', 'two clauses'],
    ['The server is told of it.', 'told'],
    ['A key is to be had.', 'idioms'],
    ['The store of which it reads.', 'of which'],
    ['What is served.', 'clause first'],
    [`It ends ${'very '.repeat(25)}soon.`, 'long'],
  ])('are found in "%s"', (sentence, name) => {
    expect(namesIn('a.md', sentence)).toContain(name);
    expect(namesIn('a.ts', `/** ${sentence} */\nexport const a = 1;`)).toContain(name);
    expect(namesIn('a.ts', `// ${sentence}\nexport const a = '${sentence}';`)).toContain(name);
  });

  test('are not found in code, examples, questions and plain sentences', () => {
    expect(namesIn('a.md', '```\nWhat is told of which\n```\n\nThe server answers. What is a tool?')).toEqual(
      [],
    );
    expect(
      namesIn('a.ts', '/**\n * Adds a tool.\n * @example\n * What is told.\n */\nexport const what = 1;'),
    ).toEqual([]);
  });
});
