import { expect, test } from '@jest/globals';
import { DefinitionError } from '@sigil/core';
import { reportedProblems } from '../../src/program/program.js';

const problem = (where: string) => ({
  code: 'SIGIL_INVALID_NAME' as const,
  where,
  what: `'${where}!' is bad`,
  fix: 'rename [it]',
});

test('problems are read off the report of a definition error, as Node prints it', () => {
  const error = new DefinitionError([problem('A.a'), problem('B.b')]);
  const printed = `file:///main.js:1\nthrow x\n^\n\n[${error.stack}]\n\nNode.js v22\n`;
  expect(reportedProblems(printed)).toEqual(
    ['A.a', 'B.b'].map((where) => ({
      code: 'SIGIL_INVALID_NAME',
      problem: `${where}: '${where}!' is bad`,
      fix: 'rename [it]',
    })),
  );
});

test('other errors hold no problems', () => {
  expect(reportedProblems(new TypeError('1. x\nFix: y').stack ?? '')).toEqual([]);
});
