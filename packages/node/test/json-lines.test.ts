import { mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createApp, defineTool } from '@sigil/core';
import { connectInMemory, META } from '@sigil/core/transport';
import { jsonLinesFile } from '../src/json-lines.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lines-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('jsonLinesFile', () => {
  test.each([false, true])('appends a line of JSON for each record, with sync %s', (sync) => {
    const path = join(folder, 'audit.jsonl');
    const first = jsonLinesFile(path, { sync });
    first.write({ a: 1 });
    first.close();
    const second = jsonLinesFile(path, { sync });
    second.write({ b: 'x\ny' });
    second.close();
    expect(readFileSync(path, 'utf8')).toBe('{"a":1}\n{"b":"x\\ny"}\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('goes on in a new file where the old one was moved away', async () => {
    const path = join(folder, 'audit.jsonl');
    const file = jsonLinesFile(path);
    file.write({ a: 1 });
    renameSync(path, `${path}.1`);
    await delay(1_100);
    file.write({ b: 2 });
    file.close();
    expect([readFileSync(`${path}.1`, 'utf8'), readFileSync(path, 'utf8')]).toEqual([
      '{"a":1}\n',
      '{"b":2}\n',
    ]);
  });

  test('fails where it cannot be opened, and where it is closed', () => {
    const path = join(folder, 'none', 'audit.jsonl');
    expect(() => jsonLinesFile(path)).toThrow(
      `${path} cannot be opened: the folder ${join(folder, 'none')} does not exist; create it first`,
    );
    expect(() => jsonLinesFile(folder)).toThrow('EISDIR');
    const file = jsonLinesFile(join(folder, 'audit.jsonl'));
    file.close();
    expect(() => file.write({})).toThrow('EBADF');
  });

  test.each([
    [{ sinc: true }, 'write sync'],
    [{ sync: 'yes' }, "it must be true or false, not 'yes'"],
    [null, 'its options must be an object'],
  ])('refuses the options %j', (options, message) => {
    expect(() => jsonLinesFile(join(folder, 'audit.jsonl'), options as never)).toThrow(message);
  });

  test('is a sink of audits', async () => {
    const path = join(folder, 'audit.jsonl');
    const ping = defineTool({ name: 'ping', handle: () => 'pong' });
    const audit = { sink: jsonLinesFile(path), required: true };
    const app = await createApp({ name: 'audited', version: '1.0.0', definitions: [ping], audit });
    const answered = new Promise((resolve) => {
      const { send } = connectInMemory(app.endpoint, resolve);
      const _meta = { [META.protocolVersion]: '2026-07-28', [META.clientCapabilities]: {} };
      send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ping', _meta } });
    });
    expect(await answered).toHaveProperty('result');
    await app.close();
    const records = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(records.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual([
      'call.started',
      'call.ended',
    ]);
  });
});
