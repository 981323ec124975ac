import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { endProcesses, ServerProcess } from './processes.js';

const CALL_FILES = fileURLToPath(new URL('fixtures/call-files.mjs', import.meta.url));
/** What can be read in one sitting. */
const MOST_FILES = 28;

afterAll(endProcesses);

const called: { functions: Readonly<Record<string, readonly string[]>> } = { functions: {} };

beforeAll(async () => {
  const server = new ServerProcess(CALL_FILES);
  expect(await server.ended).toMatchObject({ code: 0 });
  called.functions = JSON.parse(server.stdout) as typeof called.functions;
});

test(`a tools/call over HTTP runs code of at most ${MOST_FILES} files`, () => {
  const files = Object.keys(called.functions).sort();
  expect(files).toContain('http/dist/handler.js');
  expect(files).toContain('core/dist/engine/exchange.js');
  // The list itself is in the report when there are more.
  expect(files.slice(MOST_FILES)).toEqual([]);
});

test('a tools/call that nobody watches makes nothing for those who might', () => {
  expect(called.functions['core/dist/engine/observers.js']).toEqual(['get areActive', '#isActive']);
});
