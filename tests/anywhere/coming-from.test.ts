import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { textBlocks } from '../docs/code-blocks.js';
import { textOf } from '../docs/guide-page.js';
import { sigil } from '../e2e/sigil-command.js';
import {
  type Compiled,
  type Connecting,
  call,
  compileSides,
  expectSame,
  expectSameQuestions,
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
afterEach(() => running.end());

/** Starts both servers of a page, and connects a client to each. */
async function start({ theirs, ours }: Compiled, connecting: Connecting = {}): Promise<[Side, Side]> {
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
async function expectOurDifferences(ours: Side, withPlainErrors: string): Promise<void> {
  expect(await outcomeOf(ours, read(ABSENT))).toEqual(asError(-32602));
  expect(await outcomeOf(ours, call('stocktaking'))).toEqual(asError(-32602));
  expect(await outcomeOf(ours, call('price', WRONG))).toEqual(
    failure('quantity: Too small: expected number to be >=1'),
  );
  const plain = await running.connect(await running.start(withPlainErrors));
  expect(await outcomeOf(plain, call('stock_level', { sku: 'TEA-009' }))).toEqual(failure('Internal error'));
}

/** The lines that a page says `sigil manifest diff` prints are among those that it prints. */
async function expectShownDiff(page: string, { theirs, ours }: Compiled): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-from-'));
  try {
    const before = join(folder, 'before.json');
    const url = String(await running.start(theirs));
    expect(await sigil('manifest', '--url', url, '--out', before)).toMatchObject({ code: 0 });
    const { stdout } = await sigil('manifest', 'diff', before, ours);
    const [shown = ''] = await textBlocks(`docs/coming-from/${page}.md`, 'text');
    expect(shown.split('\n').filter((line) => !stdout.split('\n').includes(line))).toEqual([]);
    expect(shown).toContain('breaking, ');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The dialect of the schemas of a server. */
const dialects = async ({ client }: Side) =>
  new Set((await client.listTools()).tools.map(({ inputSchema }) => inputSchema['$schema']));

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
    expect(await dialects(theirs)).toEqual(new Set(['http://json-schema.org/draft-07/schema#']));
    expect(await dialects(ours)).toEqual(new Set(['https://json-schema.org/draft/2020-12/schema']));
    const [theirUrl, ourUrl] = [await running.start(compiled.theirs), await running.start(compiled.ours)];
    await expect(running.connect(theirUrl, { revision: MODERN })).rejects.toThrow();
    const { texts } = await order(await running.connect(ourUrl, { revision: MODERN }));
    expect(texts).toEqual(['Ordered TEA-001', 'Nothing was ordered']);

    await expectShownDiff('sdk-v1', compiled);
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

    await expectShownDiff('sdk-v2', compiled);
  });
});
