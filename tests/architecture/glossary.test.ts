import { describe, expect, test } from '@jest/globals';
import ts from 'typescript';
import { allSources, parse, read, walk } from './sources.js';

interface Term {
  readonly word: string;
  /** Names that are declared in the code. */
  readonly names: readonly string[];
  /** Words that no name has. */
  readonly not: readonly string[];
}

/** The rows of the glossary. */
function terms(): Term[] {
  const section = read('CONTRIBUTING.md').split('\n## Glossary\n')[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => /^\| (?!word |---)/.test(line));
  return rows.map((row) => {
    const [, word = '', , code = '', not = ''] = row.split('|').map((cell) => cell.trim());
    const names = [...code.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
    return { word, names, not: not.split(', ').filter((one) => one !== '') };
  });
}

/** Every class, interface, type, function and constant of the packages that has a name of its own. */
function declaredNames(): Map<string, string> {
  const names = new Map<string, string>();
  for (const { path, text } of allSources())
    walk(parse(path, text), (node) => {
      const isDeclaration =
        ts.isClassDeclaration(node) ||
        ts.isInterfaceDeclaration(node) ||
        ts.isTypeAliasDeclaration(node) ||
        ts.isFunctionDeclaration(node);
      if (isDeclaration && node.name) names.set(node.name.text, path);
    });
  return names;
}

/** The words of a name: `guardCheck` has `guard` and `check`. */
function wordsOf(name: string): string[] {
  return (name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).map((word) => word.toLowerCase());
}

describe('the glossary', () => {
  const declared = declaredNames();

  test('has rows', () => expect(terms().length).toBeGreaterThan(15));

  test.each(terms())('says of "$word" what it is called in the code', ({ names }) => {
    expect(names.filter((name) => !declared.has(name))).toEqual([]);
    expect(names.length).toBeGreaterThan(0);
  });

  test.each(terms().filter(({ not }) => not.length > 0))('keeps other words for "$word" out', ({ not }) => {
    const used = [...declared].filter(([name]) => wordsOf(name).some((word) => not.includes(word)));
    expect(used.map(([name, path]) => `${name} (${path})`)).toEqual([]);
  });
});
