import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createApp, defineTool } from '@sigil/core';
import { connectInMemory, META } from '@sigil/core/transport';
import { jsonLinesFile } from '@sigil/node';
import { runSigil } from '../../src/index.js';

const KEY = 'a key of at least thirty-two characters';

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-'));
  file = join(folder, 'audit.jsonl');
  process.env['AUDIT_KEY'] = KEY;
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  delete process.env['AUDIT_KEY'];
});

/** Has an app write the records of some calls. */
async function record(calls: number, chain: boolean | { key: string }): Promise<void> {
  const ping = defineTool({ name: 'ping', handle: () => 'pong' });
  const audit = { sink: jsonLinesFile(file), chain };
  const app = await createApp({ name: 'audited', version: '1.0.0', definitions: [ping], audit });
  const _meta = { [META.protocolVersion]: '2026-07-28', [META.clientCapabilities]: {} };
  for (let id = 0; id < calls; id += 1)
    await new Promise((resolve) =>
      connectInMemory(app.endpoint, resolve).send({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name: 'ping', _meta },
      }),
    );
  await app.close();
}

async function verify(...args: string[]): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = [];
  const say = (line: string): void => void lines.push(line);
  const code = await runSigil(['audit', 'verify', ...args], { out: say, err: say, hasColours: false });
  return { code, lines };
}

const change = (edit: (lines: string[]) => string[]): void => {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  writeFileSync(file, `${edit(lines).join('\n')}\n`);
};

describe('sigil audit verify', () => {
  test.each([
    ['without a key', true, []],
    ['with a key', { key: KEY }, ['--key-env', 'AUDIT_KEY']],
  ])('finds nothing in what two processes have written, %s', async (_how, chain, args) => {
    await record(3, chain);
    await record(2, chain);
    expect(await verify(file, ...args)).toEqual({
      code: 0,
      lines: ['5 records in 2 chains: no record was changed, and no record is missing within a chain'],
    });
  });

  test.each<[string, (lines: string[]) => string[], string]>([
    [
      'a record was changed',
      ([a = '', b = '', ...rest]) => [a, b.replace('"ok"', '"error"'), ...rest],
      'line 2: its hash is wrong',
    ],
    ['a record was taken out', ([a = '', , ...rest]) => [a, ...rest], 'line 2: record 2 of the chain'],
    ['the first record was taken out', ([, ...rest]) => rest, 'line 1: record 1 of the chain'],
    ['records changed places', ([a = '', b = '', c = '']) => [a, c, b], 'line 2: record 2 of the chain'],
    ['a line is no record', ([a = '', ...rest]) => [a, 'text', ...rest], 'line 2: it is not an audit record'],
    [
      'a member stands there twice',
      ([a = '', ...rest]) => [a.replace('{', '{"name":"other",'), ...rest],
      'line 1: its format differs',
    ],
    ['a record was added', (lines) => [...lines, '{"event":"call.ended"}'], 'line 4: it has no chain'],
  ])('finds that %s', async (_what, edit, found) => {
    await record(3, { key: KEY });
    change(edit);
    const { code, lines } = await verify(file, '--key-env', 'AUDIT_KEY');
    expect(code).toBe(1);
    expect(lines.join('\n')).toContain(found);
  });

  test('finds a chain that was written anew without the key', async () => {
    await record(2, true);
    const { code, lines } = await verify(file, '--key-env', 'AUDIT_KEY');
    expect([code, lines[0]]).toEqual([
      1,
      'line 1: its hash is wrong: the record was changed, or the key is wrong',
    ]);
  });

  test('tells what it found as JSON', async () => {
    await record(1, true);
    const { lines } = await verify(file, '--json');
    expect(JSON.parse(lines.join('\n'))).toEqual({ records: 1, chains: 1, faults: [] });
  });

  test.each([
    [[], 'needs the file'],
    [['none.jsonl'], 'ENOENT'],
    [['.'], 'EISDIR'],
    [['none.jsonl', '--key-env', 'NOT_SET'], 'NOT_SET is not set'],
  ])('says what is wrong with the arguments %j', async (args, said) => {
    const { code, lines } = await verify(...args);
    expect(code).toBeGreaterThan(0);
    expect(lines.join('\n')).toContain(said);
  });
});
