import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const folder = mkdtempSync(join(tmpdir(), 'sigil-stdio-'));
const server = join(folder, 'echo-server.mjs');

beforeAll(() => {
  const esbuild = createRequire(import.meta.url).resolve('esbuild/bin/esbuild');
  const source = fileURLToPath(new URL('./fixtures/echo-server.ts', import.meta.url));
  const options = [
    '--bundle',
    '--platform=node',
    '--format=esm',
    '--conditions=@sigil/source',
    '--log-level=error',
  ];
  execFileSync(esbuild, [source, `--outfile=${server}`, ...options]);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the server and waits until it reads; `ended` collects all it wrote. */
async function launch(): Promise<{ child: ChildProcessWithoutNullStreams; ended: Promise<Ended> }> {
  const child = spawn(process.execPath, [server]);
  const text = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text.stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text.stderr += chunk));
  child.stdin.on('error', () => undefined);
  const ended = once(child, 'close').then(([code, signal]: unknown[]): Ended => ({
    code: code as number | null,
    signal: signal as string | null,
    ...text,
  }));
  await once(child.stderr, 'data');
  return { child, ended };
}

describe('a process that runs stdio', () => {
  test('answers what is in flight at the end of its input, then exits by itself', async () => {
    const { child, ended } = await launch();
    child.stdin.end('{"id":1,"delay":50}\n{"id":2}');
    expect(await ended).toMatchObject({
      code: 0,
      stdout: '{"id":2}\n{"id":1,"delay":50}\nafter the end\n',
    });
  });

  test('keeps what others print off its standard output', async () => {
    const { child, ended } = await launch();
    child.stdin.end('{"print":"stray"}\n');
    const { stdout, stderr } = await ended;
    expect(stdout).toBe('{"print":"stray"}\nafter the end\n');
    expect(stderr).toContain('stray\nstray\nstray\n');
  });

  test.each([
    ['SIGTERM', 0],
    ['SIGINT', 130],
  ] as const)(
    'answers what is in flight on %s, then exits with %i while its input is open',
    async (signal, code) => {
      const { child, ended } = await launch();
      child.stdin.write('{"id":1,"delay":100}\n{"id":2}\n');
      await once(child.stdout, 'data');
      child.kill(signal);
      expect(await ended).toMatchObject({
        code,
        signal: null,
        stdout: expect.stringContaining('{"id":1,"delay":100}'),
      });
    },
  );

  test('exits at once on a second signal', async () => {
    const { child, ended } = await launch();
    child.stdin.write('{"id":1,"delay":60000}\n{"id":2}\n');
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    await once(child.stderr, 'data');
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130, stdout: '{"id":2}\n' });
  });

  test('exits after a signal although something else would keep it alive', async () => {
    const { child, ended } = await launch();
    child.stdin.write('{"hold":true}\n');
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, signal: null });
  });

  test('exits with 0 when the client stops to read, even if it closes standard error too', async () => {
    const { child, ended } = await launch();
    child.stdout.destroy();
    child.stderr.destroy();
    child.stdin.write('{"id":1,"print":"stray"}\n');
    expect(await ended).toMatchObject({ code: 0, signal: null });
  });

  test('carries megabytes either way', async () => {
    const { child, ended } = await launch();
    const line = `${JSON.stringify({ text: '\u00e9'.repeat(1_000_000) })}\n`;
    child.stdin.end(line.repeat(3));
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(stdout === `${line.repeat(3)}after the end\n`).toBe(true);
  });
});
