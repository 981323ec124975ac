import { expect, test } from '@jest/globals';
import { runSigil } from '../../src/index.js';

/** A server that answers `server/discover` and lists one tool, and everything else with given text. */
const script = (answers: object): string => `
const answers = ${JSON.stringify(answers)};
require('node:readline').createInterface(process.stdin).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const known = {
    'server/discover': { result: { supportedVersions: ['2026-07-28'], capabilities: { tools: {}, prompts: {} } } },
    'tools/list': { result: { tools: [{ name: 'x', inputSchema: { type: 'object' } }] } },
  };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(answers[method] ?? known[method] ?? { error: { code: 1 } }) }));
});`;

async function run(args: string[], answers: object) {
  const lines: string[] = [];
  const take = (line: string): void => void lines.push(line);
  const terminal = { out: take, err: take, hasColours: false };
  const code = await runSigil([...args, '--', process.execPath, '-e', script(answers)], terminal);
  return { code, text: lines.join('\n') };
}

test.each([
  [
    ['call', 'x'],
    { 'tools/call': { result: null } },
    "sigil: the server's answer to tools/call is not a result",
  ],
  [
    ['call', 'x'],
    { 'tools/call': { result: {} } },
    "sigil: the server's answer to tools/call is not a result",
  ],
  [['call', 'x'], {}, 'sigil: the server refused tools/call: it does not answer with a message'],
  [
    ['read', 'a:b'],
    { 'resources/read': { result: {} } },
    "sigil: the server's answer to resources/read is not a result",
  ],
  [
    ['list'],
    { 'tools/list': { error: { code: 1, message: 'no' } } },
    'sigil: the server refuses tools/list: no',
  ],
])('%j exits with 1 for answers %j', async (args, answers, said) => {
  expect(await run(args, answers)).toEqual({ code: 1, text: expect.stringContaining(said) });
});

test('a message of a prompt without content is shown as such', async () => {
  const shown = await run(['get', 'p'], { 'prompts/get': { result: { messages: [{ role: 'user' }] } } });
  expect(shown).toEqual({ code: 0, text: 'user:\n(no content)\n' });
});
