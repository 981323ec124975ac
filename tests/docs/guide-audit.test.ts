import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { runSigil } from '@sigil/cli';
import { post } from '../e2e/modern-http.js';
import { describePage } from './guide-page.js';

describePage('audit', ({ fileOf }) => {
  test('leaves the records that it tells of, which sigil audit verify finds whole', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'audit-page-'));
    const file = join(folder, 'audit.jsonl');
    const AUDIT_KEY = 'a key of at least thirty-two characters';
    const env = { ...process.env, PORT: '0', AUDIT_FILE: file, AUDIT_KEY };
    const server = spawn(process.execPath, [fileOf('payments.ts')], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = once(server, 'close');
    try {
      const [said] = (await once(server.stdout, 'data')) as [Buffer];
      const address = /http:\S+/.exec(said.toString())?.[0] ?? '';
      const pay = (token: string): Promise<unknown> =>
        post(address, 'tools/call', { name: 'pay', arguments: { invoice: 'i-1' } }, {}, (url, init) =>
          fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } }),
        ).catch((error: unknown) => error);
      await pay('token-of-ada');
      await pay('token-of-bob');
      await pay('no-token');
      server.kill('SIGTERM');
      await ended;
      const records = readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as object);
      expect(records).toMatchObject([
        { event: 'call.started', decision: 'allowed', principal: 'ada', name: 'pay' },
        { event: 'call.ended', decision: 'allowed', principal: 'ada', outcome: 'ok' },
        {
          event: 'call.ended',
          decision: 'denied',
          refusedBy: 'scope',
          principal: 'bob',
          outcome: 'refused',
          code: 403,
        },
        { event: 'request.refused', decision: 'denied', refusedBy: 'token' },
      ]);
      process.env['AUDIT_KEY_OF_PAGE'] = AUDIT_KEY;
      const lines: string[] = [];
      const terminal = {
        out: (line: string) => lines.push(line),
        err: (line: string) => lines.push(line),
        hasColours: false,
      };
      expect(await runSigil(['audit', 'verify', file, '--key-env', 'AUDIT_KEY_OF_PAGE'], terminal)).toBe(0);
      expect(lines).toEqual([
        '4 records in 1 chains: no record was changed, and no record is missing within a chain',
      ]);
    } finally {
      delete process.env['AUDIT_KEY_OF_PAGE'];
      server.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true });
    }
  });
});
