import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { DefinitionError } from '@sigil/core';
import { askProgram, reportedProblems } from '../../src/program/program.js';
import { gone } from '../processes.js';

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

describe('a program that has started another one, which holds its output open', () => {
  const folder = mkdtempSync(join(tmpdir(), 'asked-program-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'main.mjs');
  writeFileSync(
    path,
    `import { spawn } from 'node:child_process';
     const other = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { stdio: 'inherit' });
     console.log(JSON.stringify({ other: other.pid }));
     process.on('SIGTERM', () => undefined);`,
  );

  test('ends with all that it has started', async () => {
    const other = await askProgram(path, {}, { timeoutMs: 30_000 }, (program) =>
      program.first((message) => message['other']),
    );
    await gone(Number(other));
  });

  test('ends at once with a question that is ended', async () => {
    const stop = new AbortController();
    const never = askProgram(path, {}, { timeoutMs: 30_000, signal: stop.signal }, async (program) => {
      const other = await program.first((message) => message['other']);
      stop.abort();
      await gone(Number(other));
      return new Promise(() => undefined);
    });
    await expect(never).rejects.toThrow('the question was ended');
  });
});
