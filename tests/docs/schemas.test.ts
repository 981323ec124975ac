import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { codeBlocks, compile } from './code-blocks.js';

const run = promisify(execFile);

test('the page about schemas shows an update that changes what was sent and nothing else', async () => {
  const dist = await compile(await codeBlocks('docs/schemas.md'), 'schemas');
  const { stdout } = await run(process.execPath, [join(dist, 'tickets.js')]);
  expect(stdout.trim()).toBe("{ id: 0, priority: 'high', title: 'Printer still on fire' }");
}, 60_000);
