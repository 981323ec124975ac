import { describe, expect, test } from '@jest/globals';
import ts from 'typescript';
import { filesBelow, PACKAGES, parse, read, walk } from './sources.js';

/** One statement of the protocol checklist. */
interface Statement {
  readonly number: number;
  readonly statement: string;
  readonly era: 'legacy' | 'modern' | 'both';
}

const CITATION = /\[checklist (\d+)\]/g;

const statements = JSON.parse(read('tests/checklist.json')) as readonly Statement[];

describe('the protocol checklist', () => {
  test('has its statements numbered from 1 on, each once, and no exceptions', () => {
    const members = new Set(statements.flatMap((statement) => Object.keys(statement)));
    expect([...members].sort()).toEqual(['era', 'number', 'statement']);
    expect(statements.map(({ number }) => number)).toEqual(statements.map((_, at) => at + 1));
  });

  test('is cited by the titles of tests with numbers it has', () => {
    const known = new Set(statements.map(({ number }) => number));
    expect([...cited()].filter((number) => !known.has(number))).toEqual([]);
  });

  test('has a test for every statement', () => {
    const numbers = cited();
    const untested = statements.filter(({ number }) => !numbers.has(number));
    expect(untested.map(({ number, statement }) => `${number}. ${statement}`)).toEqual([]);
  });
});

/** The statements that tests cite, in their titles or the rows these are made of; a comment is no citation. */
function cited(): Set<number> {
  const folders = ['tests', ...PACKAGES.map((name) => `packages/${name}/test`)];
  const titles = folders.flatMap((folder) => filesBelow(folder, '.ts')).flatMap(stringsOf);
  return new Set(
    titles.flatMap((title) => [...title.matchAll(CITATION)].map(([, number]) => Number(number))),
  );
}

function stringsOf(path: string): string[] {
  const text = read(path);
  if (!text.includes('[checklist ')) return [];
  const strings: string[] = [];
  walk(parse(path, text), (node) => {
    if (ts.isStringLiteralLike(node)) strings.push(node.text);
    else if (ts.isTemplateExpression(node)) strings.push(node.getText());
  });
  return strings;
}
