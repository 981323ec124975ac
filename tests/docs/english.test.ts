import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { countPatterns, findPatterns, proseFiles } from '../../scripts/english.mjs';

/** More than that is a step back: `npm run docs:english -- --list` prints each place. */
const MOST = {
  comments: {
    chains: 110,
    'two clauses': 262,
    told: 182,
    idioms: 63,
    'of which': 387,
    'clause first': 1406,
    long: 59,
  },
  messages: { chains: 0, 'two clauses': 2, told: 4, idioms: 14, 'of which': 10, 'clause first': 48, long: 4 },
  pages: {
    chains: 40,
    'two clauses': 90,
    told: 47,
    idioms: 40,
    'of which': 99,
    'clause first': 415,
    long: 114,
  },
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
