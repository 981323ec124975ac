import { expect, test } from '@jest/globals';
import { mountedInNode, webHandler } from './fixtures/bridges.js';
import { call, callModern, json, META, MODERN, post, textOf } from './fixtures/messages.js';
import { openSession } from './fixtures/session.js';
import { type Bench, describeBridges } from './fixtures/suite.js';
import { within } from './fixtures/within.js';

const DEEP = 200_000;
const deepArray = `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`;

/** Whoever asked for nonsense before, the next client must be served. */
async function expectAlive(bench: Bench): Promise<void> {
  const response = await callModern(bench, 'echo', { text: 'alive' });
  expect(textOf(await json(response))).toBe('alive');
}

const claim = (version: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"${META.version}":${version},"${META.capabilities}":{}}}}`;

describeBridges(
  'hostile messages',
  (bench) => {
    test.each([
      ['an object that has no text form', '{"toString":null,"valueOf":null}'],
      ['an array nested 200,000 deep', deepArray],
      ['null', 'null'],
      ['a number', '20260728'],
    ])('a claimed version that is %s is refused with 400 [checklist 5]', async (_what, version) => {
      const response = await within(
        post(bench(), claim(version), { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/list' }),
      );
      expect(response.status).toBe(400);
      expect((await json(response)).error).toBeDefined();
      await expectAlive(bench());
    });

    test('a message nested 200,000 deep is answered with 400', async () => {
      const response = await within(post(bench(), deepArray));
      expect(response.status).toBe(400);
      await expectAlive(bench());
    });

    test('a batch of batches nested 200,000 deep does not end the server [checklist 16]', async () => {
      const session = await openSession(bench(), '2025-03-26');
      const response = await within(session.post(deepArray));
      expect(response.status).toBeLessThan(500);
      await expectAlive(bench());
    });

    test('arguments nested 200,000 deep do not end the server', async () => {
      const text = JSON.stringify(call('echo', { text: 'x', more: 0 }, 1)).replace(
        '"more":0',
        `"more":${deepArray}`,
      );
      const session = await openSession(bench());
      const response = await within(session.post(text));
      expect(response.status).toBeLessThan(600);
      await response.text();
      await expectAlive(bench());
    });

    test('no error repeats more than 256 characters of a header [checklist 55]', async () => {
      const session = await openSession(bench());
      const ping = { jsonrpc: '2.0', id: 7, method: 'ping' };
      const headers = { 'MCP-Protocol-Version': 'v'.repeat(5_000) };
      const text = await (await session.post(ping, { headers })).text();
      expect(text).toContain('"error"');
      expect(text.length).toBeLessThan(500);
    });

    test.each(['__proto__', 'constructor', 'toString'])(
      'a method called %s is an unknown one',
      async (method) => {
        const session = await openSession(bench());
        const answer = await json(await session.post({ jsonrpc: '2.0', id: 7, method }));
        expect(answer).toMatchObject({ id: 7, error: { code: -32601 } });
      },
    );
  },
  {},
  [mountedInNode, webHandler],
);
