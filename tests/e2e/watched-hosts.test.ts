import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { programFile } from './frameworks/hosts.js';
import { SEEN_AT } from './frameworks/hosts/watched-app.js';
import { LambdaService } from './frameworks/lambda-service.js';
import { startWorker, WORKERD } from './frameworks/workerd.js';
import { post } from './modern-http.js';
import { until } from './processes.js';
import { sigil } from './sigil-command.js';

// Each starts a program, and the machine may be busy.
jest.setTimeout(60_000);

/** What everything that may watch an app was told in a host. */
interface Seen {
  readonly calls: readonly unknown[];
  readonly log: readonly { readonly level: string; readonly line: readonly unknown[] }[];
  readonly audit: readonly unknown[];
  readonly spans: readonly { readonly name: string; readonly attributes: object }[];
  readonly metrics: readonly { readonly name: string; readonly counts: readonly number[] }[];
}

interface Host {
  readonly origin: string;
  close(): Promise<unknown>;
}

async function inWorkerd(): Promise<Host> {
  const folder = mkdtempSync(join(tmpdir(), 'watched-'));
  const outfile = join(folder, 'worker.mjs');
  const program = await programFile('watched-worker');
  const { code, stderr } = await sigil('build', program, '--target', 'worker', '--out', outfile);
  if (code !== 0) throw new Error(stderr);
  const worker = await startWorker(outfile);
  return {
    origin: worker.origin,
    close: async () => {
      await worker.program.kill();
      rmSync(folder, { recursive: true });
    },
  };
}

async function inLambda(mode: 'buffered' | 'streamed'): Promise<Host> {
  const module = await programFile('watched-lambda');
  const service = await new LambdaService({ module, env: { MODE: mode }, timeoutMs: 10_000 }).start();
  return { origin: service.origin, close: () => service.stop() };
}

describe.each<[string, (() => Promise<Host>) | undefined]>([
  ['workerd, where that is installed', WORKERD === undefined ? undefined : inWorkerd],
  ['AWS Lambda with buffered answers', () => inLambda('buffered')],
  ['AWS Lambda with streamed answers', () => inLambda('streamed')],
])('an app that is watched in %s', (_name, start) => {
  const told = start ? test : test.skip;
  let host: Host | undefined;
  let seen: Seen;
  const answers: string[] = [];

  beforeAll(async () => {
    host = await start?.();
    if (!host) return;
    const { origin } = host;
    for (let turn = 0; turn < 4; turn++) {
      const called = post(`${origin}/mcp`, 'tools/call', { name: 'hello', arguments: {} });
      answers.push(
        await called.then(
          () => 'served',
          (error: Error) => error.message,
        ),
      );
    }
    const origins = { origin: 'https://evil.example', connection: 'close' };
    answers.push(String((await fetch(`${origin}/mcp`, { method: 'POST', headers: origins })).status));
    const look = async (): Promise<Seen> => {
      const response = await fetch(new URL(SEEN_AT, origin), { headers: { connection: 'close' } });
      return (await response.json()) as Seen;
    };
    // In workerd an answer is sent before that.
    await until(async () => (await look()).audit.length === 5).catch(() => undefined);
    seen = await look();
  });

  afterAll(() => host?.close());

  told('refuses calls beyond its rate, and pages of others', () => {
    const refused = expect.stringContaining('Too many requests');
    expect(answers).toEqual(['served', 'served', 'served', refused, '403']);
  });

  told('tells listeners of calls', () => {
    const call = { method: 'tools/call', name: 'hello', outcome: 'ok' };
    expect(seen.calls).toEqual([call, call, call, { ...call, outcome: 'refused', refusedBy: 'rate' }]);
  });

  told('writes a line of the log for each call', () => {
    const calls = seen.log.flatMap(({ line: [details, message] }) => (message === 'call' ? [details] : []));
    const line = { method: 'tools/call', name: 'hello', outcome: 'ok', transport: 'http' };
    expect(calls).toMatchObject([line, line, line, { ...line, outcome: 'refused', refusedBy: 'rate' }]);
  });

  told('gives each call and each refused request to the sink of its audit, which comes to its end', () => {
    const record = { event: 'call.ended', decision: 'allowed', name: 'hello', outcome: 'ok' };
    expect(seen.audit).toMatchObject([
      record,
      record,
      record,
      { ...record, decision: 'denied', refusedBy: 'rate', outcome: 'refused' },
      { event: 'request.refused', decision: 'denied', refusedBy: 'origin' },
    ]);
  });

  told('is traced and measured', () => {
    expect(seen.spans.map(({ name }) => name)).toEqual(Array(4).fill('tools/call hello'));
    const counts = (name: string) => seen.metrics.find((metric) => metric.name === name)?.counts;
    expect(counts('mcp.server.operation.duration')).toEqual([3, 1]);
    expect(counts('sigil.refusals')).toEqual([1, 1]);
    expect(counts('sigil.sessions.active')).toEqual([0]);
  });
});
