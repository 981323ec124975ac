import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from '@jest/globals';
import { endProcesses, ServerProcess } from './processes.js';

const CALL_FILES = fileURLToPath(new URL('fixtures/call-files.mjs', import.meta.url));
/** What can be read in one sitting. */
const MOST_FILES = 28;

afterAll(endProcesses);

test(`a tools/call over HTTP runs code of at most ${MOST_FILES} files`, async () => {
  const server = new ServerProcess(CALL_FILES);
  expect(await server.ended).toMatchObject({ code: 0 });
  const files = JSON.parse(server.stdout) as string[];
  expect(files).toContain('http/dist/handler.js');
  expect(files).toContain('core/dist/engine/exchange.js');
  // The list itself is in the report when there are more.
  expect(files.slice(MOST_FILES)).toEqual([]);
});
