import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { LATEST_VERSION, META } from '@sigil/core/transport';
import { callTool, ENVELOPE, REVISION } from '../../src/create/call-tool.js';
import { temporaryFolder } from '../fixtures/temporary-folder.js';

test('a tool is called in the newest revision, as servers know it', () => {
  expect(REVISION).toBe(LATEST_VERSION);
  expect(ENVELOPE).toEqual({
    version: META.protocolVersion,
    client: META.clientInfo,
    capabilities: META.clientCapabilities,
  });
});

test('an answer may have separators of lines and paragraphs in its text', async () => {
  using folder = temporaryFolder();
  const server = join(folder.path, 'server.mjs');
  const result = { content: [{ type: 'text', text: 'one\u2028two\u2029three' }] };
  const answer = JSON.stringify(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
  writeFileSync(server, `process.stdin.once('data', () => console.log(${answer}));`);

  const text = await callTool(
    [server],
    { tool: 'read', arguments: {} },
    { cwd: folder.path, env: process.env, signal: new AbortController().signal, timeoutMs: 10_000 },
  );

  expect(text).toBe('one\u2028two\u2029three');
});
