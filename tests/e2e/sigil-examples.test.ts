import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, jest, test } from '@jest/globals';
import { INVENTORY } from './processes.js';

// Each starts two programs, and the machine may be busy.
jest.setTimeout(60_000);

const BIN = new URL('../../node_modules/.bin/sigil', import.meta.url).pathname;
const project = mkdtempSync(join(tmpdir(), 'sigil-examples-'));
mkdirSync(join(project, 'dist'));
writeFileSync(join(project, 'package.json'), '{"type":"module","dependencies":{"@sigil/core":"^0.1.0"}}');
writeFileSync(join(project, 'dist/main.js'), `import ${JSON.stringify(INVENTORY)};\n`);
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** Runs the command in the project. @returns its exit code and what it wrote. */
function run(...args: readonly string[]): Promise<readonly [code: unknown, stdout: string]> {
  return new Promise((resolve) => {
    execFile(process.execPath, [BIN, ...args], { cwd: project }, (error, stdout) =>
      resolve([error ? error.code : 0, stdout]),
    );
  });
}

test.each([
  ['list', 'check_inventory'],
  ['call', '"quantity"'],
  ['read', '"sku"'],
  ['get', 'to French'],
  ['add', 'Wrote src/tools/get-weather.ts'],
])('the example in the help of sigil %s does what it is for', async (command, shown) => {
  const [, help] = await run(command, '--help');
  const example = /^For example\n {2}sigil (?<line>.*)$/m.exec(help)?.groups?.['line'] ?? '';
  const [code, stdout] = await run(...example.split(' '));
  expect([example.split(' ')[0], code, stdout]).toEqual([command, 0, expect.stringContaining(shown)]);
});
