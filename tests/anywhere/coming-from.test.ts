import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { textBlocks } from '../docs/code-blocks.js';
import { textOf } from '../docs/guide-page.js';
import { sigil } from '../e2e/sigil-command.js';
import {
  type Ask,
  type Compiled,
  type Connecting,
  call,
  compileOurs,
  compileSides,
  expectSame,
  expectSameQuestions,
  FRONTMCP,
  MCP_NEST,
  order,
  outcomeOf,
  read,
  Running,
  type Side,
} from './both-sides.js';

// Starts processes, on machines that others use.
jest.setTimeout(60_000);

const MODERN = '2026-07-28';
const running = new Running();
const folder = mkdtempSync(join(tmpdir(), 'sigil-from-'));
afterEach(() => running.end());
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts both servers of a page, and connects a client to each. */
async function start(
  { theirs, ours }: Pick<Compiled, 'theirs' | 'ours'>,
  connecting: Connecting = {},
): Promise<[Side, Side]> {
  const sides = [];
  for (const file of [theirs, ours]) sides.push(await running.connect(await running.start(file), connecting));
  return sides as [Side, Side];
}

/** A text that a tool gives where something is wrong. */
const failure = (text: string) => ({ content: [{ type: 'text', text }], isError: true });
const asError = (code: number) => ({ code, message: expect.any(String) });
const WRONG = { sku: 'TEA-001', quantity: 0 };
const ABSENT = 'shop://products/TEA-009';

/** What our servers answer where the pages say that others answer otherwise. */
async function expectOurDifferences(
  ours: Side,
  withPlainErrors: string,
  connecting: Connecting = {},
): Promise<void> {
  expect(await outcomeOf(ours, read(ABSENT))).toEqual(asError(-32602));
  expect(await outcomeOf(ours, call('stocktaking'))).toEqual(asError(-32602));
  expect(await outcomeOf(ours, call('price', WRONG))).toEqual(
    failure('quantity: Too small: expected number to be >=1'),
  );
  const plain = await running.connect(await running.start(withPlainErrors), connecting);
  expect(await outcomeOf(plain, call('stock_level', { sku: 'TEA-009' }))).toEqual(failure('Internal error'));
}

/** Writes the manifest of a server that is up. @returns its file. */
async function manifestOf(url: URL, name: string, ...options: string[]): Promise<string> {
  const file = join(folder, name);
  const args = ['manifest', '--url', String(url), '--out', file, ...options];
  expect(await sigil(...args)).toMatchObject({ code: 0 });
  return file;
}

/** The lines that a page says `sigil manifest diff` prints are among those that it prints. */
async function expectShownDiff(page: string, before: string, after: string): Promise<void> {
  const { stdout } = await sigil('manifest', 'diff', before, after);
  const [shown = ''] = await textBlocks(`docs/coming-from/${page}.md`, 'text');
  expect(shown.split('\n').filter((line) => !stdout.split('\n').includes(line))).toEqual([]);
  expect(shown).toContain('breaking, ');
}

/** The dialect that a server says its schemas have. */
const dialectOf = async ({ client }: Side) => (await client.listTools()).tools[0]?.inputSchema['$schema'];

/** Begins a session with headers. @returns the status of the response. */
async function initialize(url: URL, headers: Readonly<Record<string, string>>): Promise<number> {
  const clientInfo = { name: 'page', version: '1.0.0' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  });
  await response.body?.cancel();
  return response.status;
}

describe('the page from the official SDK, version 1', () => {
  let compiled: Compiled;
  beforeAll(async () => (compiled = await compileSides('sdk-v1', 'sdk-server.ts')));

  test('shows two servers that answer alike, and tells how they differ', async () => {
    const [theirs, ours] = await start(compiled);
    await expectSame(theirs, ours);
    await expectSameQuestions(theirs, ours);

    // What behaves differently.
    await expectOurDifferences(ours, compiled.oursWithPlainErrors);
    expect(await outcomeOf(theirs, read(ABSENT))).toEqual(asError(-32603));
    expect(await outcomeOf(theirs, call('stocktaking'))).toMatchObject({ isError: true });
    expect(await dialectOf(theirs)).toBe('http://json-schema.org/draft-07/schema#');
    expect(await dialectOf(ours)).toBe('https://json-schema.org/draft/2020-12/schema');
    const [theirUrl, ourUrl] = [await running.start(compiled.theirs), await running.start(compiled.ours)];
    await expect(running.connect(theirUrl, { revision: MODERN })).rejects.toThrow();
    const { texts } = await order(await running.connect(ourUrl, { revision: MODERN }));
    expect(texts).toEqual(['Ordered TEA-001', 'Nothing was ordered']);

    await expectShownDiff('sdk-v1', await manifestOf(theirUrl, 'sdk-v1.json'), compiled.ours);
  });

  test('shows functions in place of classes', async () => {
    const client = new Client({ name: 'reader', version: '1.0.0' });
    const args = [join(dirname(compiled.ours), 'functions.js')];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
    try {
      const price = { name: 'price', arguments: { sku: 'TEA-001', quantity: 3 } };
      expect(textOf(await client.callTool(price))).toBe('3 × TEA-001: 12 €');
      const { messages } = await client.getPrompt({ name: 'recommend', arguments: { taste: 'sweet' } });
      expect(messages).toMatchObject([{ content: { text: 'Recommend a sweet tea' } }]);
      expect((await client.readResource({ uri: 'shop://hours' })).contents).toHaveLength(1);
    } finally {
      await client.close();
    }
  });
});

describe('the page from the official SDK, version 2', () => {
  let compiled: Compiled;
  beforeAll(async () => (compiled = await compileSides('sdk-v2', 'sdk-server.ts')));

  test('shows two servers that answer alike, and tells how they differ', async () => {
    const [theirs, ours] = await start(compiled, { revision: MODERN });
    await expectSame(theirs, ours);
    await expectSameQuestions(theirs, ours);
    const [theirLegacy, ourLegacy] = await start(compiled);
    await expectSame(theirLegacy, ourLegacy);

    // What behaves differently.
    await expectOurDifferences(ours, compiled.oursWithPlainErrors);
    expect(await outcomeOf(theirs, read(ABSENT))).toEqual(asError(-32603));
    expect(await outcomeOf(theirLegacy, call('order', { sku: 'TEA-001' }))).toMatchObject({ isError: true });
    expect((await order(ourLegacy)).texts).toEqual(['Ordered TEA-001', 'Nothing was ordered']);
    expect(await theirs.client.listTools()).toMatchObject({ cacheScope: 'private' });
    expect(await ours.client.listTools()).toMatchObject({ cacheScope: 'public' });

    const before = await manifestOf(await running.start(compiled.theirs), 'sdk-v2.json');
    await expectShownDiff('sdk-v2', before, compiled.ours);
  });
});

describe('the page from FastMCP', () => {
  const ada = { headers: { 'x-api-key': 'key-of-ada' } };
  const bob = { headers: { 'x-api-key': 'key-of-bob' } };
  let compiled: Compiled;
  beforeAll(async () => (compiled = await compileSides('fastmcp', 'fastmcp-server.ts')));

  test('shows two servers that answer alike, and tells how they differ', async () => {
    const urls = [await running.start(compiled.theirs), await running.start(compiled.ours)] as const;
    const connect = async (connecting: Connecting) =>
      [await running.connect(urls[0], connecting), await running.connect(urls[1], connecting)] as const;
    const [theirs, ours] = await connect(ada);
    await expectSame(theirs, ours);
    await expectSameQuestions(theirs, ours);
    const revenue = { content: [{ type: 'text', text: '48 €' }] };
    for (const side of [theirs, ours]) expect(await outcomeOf(side, call('revenue'))).toEqual(revenue);
    for (const side of await connect(bob)) {
      const { tools } = await side.client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(['price', 'stock_level', 'order']);
    }
    for (const url of urls) expect(await initialize(url, { 'x-api-key': 'key-of-eve' })).toBe(401);

    // What behaves differently.
    await expectOurDifferences(ours, compiled.oursWithPlainErrors, ada);
    expect(await outcomeOf(theirs, read(ABSENT))).toEqual(asError(-32603));
    expect(await outcomeOf(theirs, call('stocktaking'))).toEqual(asError(-32601));
    expect(await outcomeOf(theirs, call('price', WRONG))).toEqual(asError(-32602));
    const promptWithoutArguments: Ask = (client) => client.getPrompt({ name: 'recommend', arguments: {} });
    expect(await outcomeOf(theirs, promptWithoutArguments)).toEqual(asError(-32600));
    expect(await outcomeOf(ours, promptWithoutArguments)).toEqual(asError(-32602));
    expect(await dialectOf(theirs)).toBe('http://json-schema.org/draft-07/schema#');
    expect((await theirs.client.listTools()).tools[0]?.inputSchema).toMatchObject({
      additionalProperties: false,
    });
    const page = { ...ada.headers, origin: 'https://elsewhere.example' };
    expect(await initialize(urls[0], page)).toBe(200);
    expect(await initialize(urls[1], page)).toBe(403);
    await expect(running.connect(urls[0], { ...ada, revision: MODERN })).rejects.toThrow();
    const { texts } = await order(await running.connect(urls[1], { ...ada, revision: MODERN }));
    expect(texts).toEqual(['Ordered TEA-001', 'Nothing was ordered']);

    const before = await manifestOf(urls[0], 'fastmcp.json', '--header', 'x-api-key: key-of-ada');
    await expectShownDiff('fastmcp', before, compiled.ours);
  });
});

describe('the page from MCP-Nest', () => {
  let compiled: Compiled;
  beforeAll(async () => (compiled = await compileSides('mcp-nest', 'mcp-nest-server.ts', MCP_NEST)));

  test('shows two servers that answer alike, and tells how they differ', async () => {
    const urls = [await running.start(compiled.theirs), await running.start(compiled.ours)] as const;
    const connect = async (connecting: Connecting = {}) =>
      [await running.connect(urls[0], connecting), await running.connect(urls[1], connecting)] as const;
    const [theirs, ours] = await connect();
    await expectSame(theirs, ours);
    await expectSameQuestions(theirs, ours);
    const [theirsModern, oursModern] = await connect({ revision: MODERN });
    await expectSame(theirsModern, oursModern);

    // What behaves differently.
    await expectOurDifferences(ours, compiled.oursWithPlainErrors);
    expect(await outcomeOf(theirs, read(ABSENT))).toEqual(asError(-32603));
    expect(await outcomeOf(theirsModern, call('order', { sku: 'TEA-001' }))).toMatchObject({ isError: true });
    expect((await order(oursModern)).texts).toEqual(['Ordered TEA-001', 'Nothing was ordered']);
    const promptWithoutArguments: Ask = (client) => client.getPrompt({ name: 'recommend', arguments: {} });
    expect(await outcomeOf(theirs, promptWithoutArguments)).toHaveProperty('messages');
    expect(await outcomeOf(ours, promptWithoutArguments)).toEqual(asError(-32602));
    const page = { origin: 'https://elsewhere.example' };
    expect(await initialize(urls[0], page)).toBe(200);
    expect(await initialize(urls[1], page)).toBe(403);

    const before = await manifestOf(urls[0], 'mcp-nest.json');
    await expectShownDiff('mcp-nest', before, await manifestOf(urls[1], 'sigil-nest.json'));
  });
});

describe('the page from FrontMCP', () => {
  test('shows a server that answers like those of the other pages', async () => {
    const { ours: other } = await compileSides('sdk-v1', 'sdk-server.ts');
    const [first, second] = await start({ theirs: other, ours: await compileOurs('frontmcp') });
    await expectSame(first, second);
    await expectSameQuestions(first, second);
    expect(await outcomeOf(second, read(ABSENT))).toEqual(asError(-32602));
  });

  const installed = existsSync(join(FRONTMCP, 'node_modules/@frontmcp/sdk'));
  const title = 'shows two servers that answer alike, and tells how they differ';
  (installed ? test : test.skip)(
    installed ? title : `${title}; skipped: the registry does not have @frontmcp/sdk`,
    async () => {
      const compiled = await compileSides('frontmcp', 'frontmcp-server.ts', FRONTMCP);
      const urls = [
        await running.startFrontMcp(compiled.theirs),
        await running.start(compiled.ours),
      ] as const;
      const [theirs, ours] = [await running.connect(urls[0]), await running.connect(urls[1])];
      await expectSame(theirs, ours);
      await expectSameQuestions(theirs, ours);

      // What behaves differently.
      await expectOurDifferences(ours, compiled.oursWithPlainErrors);
      expect(await outcomeOf(theirs, read(ABSENT))).toEqual(asError(-32603));
      expect(await outcomeOf(theirs, call('stocktaking'))).toMatchObject({ isError: true });
      const promptWithoutArguments: Ask = (client) => client.getPrompt({ name: 'recommend', arguments: {} });
      expect(await outcomeOf(theirs, promptWithoutArguments)).toEqual(asError(-32603));
      expect(await outcomeOf(ours, promptWithoutArguments)).toEqual(asError(-32602));
      const wrong = await outcomeOf(theirs, call('price', WRONG));
      expect(wrong).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/^Invalid tool input\nDetails: \[/) }],
      });
      const page = { origin: 'https://elsewhere.example' };
      expect(await initialize(urls[0], page)).toBe(200);
      expect(await initialize(urls[1], page)).toBe(403);
      await expect(running.connect(urls[0], { revision: MODERN })).rejects.toThrow();
      const { texts } = await order(await running.connect(urls[1], { revision: MODERN }));
      expect(texts).toEqual(['Ordered TEA-001', 'Nothing was ordered']);
    },
  );
});
