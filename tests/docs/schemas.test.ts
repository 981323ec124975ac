import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from '@jest/globals';
import { codeBlocks, compile } from './code-blocks.js';

const run = promisify(execFile);

const PAGE = 'docs/schemas.md';
const compiled = { dist: '' };

beforeAll(async () => {
  compiled.dist = await compile(await codeBlocks(PAGE), 'schemas');
}, 60_000);

const print = async (program: string): Promise<string> =>
  (await run(process.execPath, [join(compiled.dist, program)])).stdout.trim();

test('the page about schemas shows an update that changes what was sent and nothing else', async () => {
  expect(await print('tickets.js')).toBe("{ id: 0, priority: 'high', title: 'Printer still on fire' }");
});

test('the page about schemas shows what one of several classes is told and refused', async () => {
  const [, shown = ''] = /^```text\n(email:[^]*?)^```$/m.exec(readFileSync(PAGE, 'utf8')) ?? [];
  expect(await print('reminders.js')).toBe(shown.trim());
});
