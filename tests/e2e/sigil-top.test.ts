import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { post } from './modern-http.js';
import { endProcess, endProcesses, freePort, ServerProcess, until, wholeLines } from './processes.js';
import { fixture, sigilWith } from './sigil-command.js';

// Each starts a program or two, and the machine may be busy.
jest.setTimeout(60_000);
afterEach(endProcesses);

const TOKEN = 'a-token-of-the-operators-of-a-server';
const SIGIL = 'node_modules/.bin/sigil';
const SCRIPT = '/usr/bin/script';
const hasTerminal = process.platform === 'linux' && existsSync(SCRIPT);

async function start(port?: number) {
  const PORT = String(port ?? (await freePort()));
  const server = new ServerProcess(fixture('watched-server.mjs'), [], { PORT, EVENTS_TOKEN: TOKEN });
  await until(() => server.stderr.includes('listens'));
  return { server, port: Number(PORT), url: `http://127.0.0.1:${PORT}/mcp` };
}

const call = (url: string, name: string) =>
  post(url, 'tools/call', { name, arguments: { text: 'a secret' } });

/** Starts the command, and waits until it watches. */
async function watch(url: string, ...args: string[]): Promise<ServerProcess> {
  const command = new ServerProcess(SIGIL, ['top', url, ...args], { SIGIL_EVENTS_TOKEN: TOKEN });
  await until(() => command.stderr.includes('sigil: watches'));
  return command;
}

async function end(command: ServerProcess): Promise<number | null> {
  command.child.kill('SIGINT');
  return (await command.ended).code;
}

describe('sigil top', () => {
  test('writes a line for each call and each refused request, where there is no terminal', async () => {
    const { url } = await start();
    const command = await watch(url);
    await call(url, 'search');
    await call(url, 'fail');
    await expect(call(url, 'unknown')).rejects.toThrow('-32602');
    await fetch(url, { headers: { origin: 'https://evil.example' } });
    await until(() => wholeLines(command.stdout).length === 4);
    const time = String.raw`\d\d:\d\d:\d\d`;
    const caller = String.raw`post 0 · 127\.0\.0\.1`;
    for (const [at, line] of [
      `${time}  ok  search  [\\d.]+ ms  ${caller}`,
      `${time}  isError  fail  [\\d.]+ ms  ${caller}`,
      `${time}  refused  name -32602  unknown  [\\d.]+ ms  ${caller}`,
      `${time}  refused  403  origin  127\\.0\\.0\\.1  Pages of this Origin are not allowed to call this server; .*`,
    ].entries())
      expect(wholeLines(command.stdout)[at]).toMatch(new RegExp(`^${line}$`));
    expect(await end(command)).toBe(130);
  });

  test('writes events as lines of JSON, without arguments and results', async () => {
    const { server, url } = await start();
    const command = await watch(url, '--json');
    await call(url, 'search');
    await until(() => command.messages().length >= 2);
    expect(command.messages()[0]).toMatchObject({
      event: 'state',
      pid: server.pid,
      sessions: 0,
      running: [],
    });
    const ended = { event: 'call', name: 'search', outcome: 'ok', ms: expect.any(Number) };
    expect(command.messages()).toContainEqual(expect.objectContaining(ended));
    expect(command.stdout).not.toMatch(/a secret|found/);
    expect(await end(command)).toBe(130);
  });

  test('comes back to a server that restarts, and says so', async () => {
    const { server, port, url } = await start();
    const command = await watch(url);
    await call(url, 'search');
    // What the server has not sent yet ends with it.
    await until(() => wholeLines(command.stdout).length === 1);
    await endProcess(server);
    await until(() => command.stderr.includes('sigil: connects again: '));
    await start(port);
    await until(() => command.stderr.includes('again\n'));
    await call(url, 'search');
    await until(() => wholeLines(command.stdout).length === 2);
    expect(wholeLines(command.stderr)).toEqual([
      `sigil: watches http://127.0.0.1:${port}/events`,
      expect.stringMatching(/^sigil: connects again: ./),
      `sigil: watches http://127.0.0.1:${port}/events again`,
    ]);
    expect(await end(command)).toBe(130);
  });

  test('says why it cannot watch a server', async () => {
    const { url } = await start();
    const events = url.replace('mcp', 'events');
    const failed = async (token: string, ...args: string[]) => {
      const { code, stderr } = await sigilWith({ SIGIL_EVENTS_TOKEN: token }, 'top', ...args);
      expect(code).toBe(1);
      return stderr;
    };
    expect(await failed('wrong', url)).toBe(`sigil: ${events} refuses the token\n`);
    expect(await failed(TOKEN, url, '--path', '/other')).toMatch(
      /other serves no events: start the server with the variable SIGIL_EVENTS_TOKEN/,
    );
    expect(await failed(TOKEN, `http://127.0.0.1:${await freePort()}`)).toMatch(
      /does not answer: .*ECONNREFUSED/,
    );
  });

  test('watches any program over HTTP that has the token as a variable', async () => {
    const port = await freePort();
    const args = ['--http', '--port', String(port)];
    const server = new ServerProcess('apps/inventory/dist/main.js', args, { SIGIL_EVENTS_TOKEN: TOKEN });
    await until(() => server.stderr.includes('listens'));
    const url = `http://127.0.0.1:${port}/mcp`;
    const command = await watch(url);
    await post(url, 'tools/call', { name: 'check_inventory', arguments: { sku: 'TNT-1002' } });
    await until(() => wholeLines(command.stdout).length === 1);
    expect(command.stdout).toMatch(/^\S+  ok  check_inventory  /);
    expect(await end(command)).toBe(130);
  });

  (hasTerminal ? test : test.skip)('draws a screen in a terminal, until q is pressed', async () => {
    const { url } = await start();
    const command = `stty cols 100 rows 30; ${process.execPath} ${SIGIL} top ${url}`;
    const env = { ...process.env, SIGIL_EVENTS_TOKEN: TOKEN, NO_COLOR: '1', TERM: 'xterm' };
    const terminal = spawn(SCRIPT, ['-qec', command, '/dev/null'], { env });
    let shown = '';
    terminal.stdout.setEncoding('utf8').on('data', (chunk: string) => (shown += chunk));
    const ended = new Promise((resolve) => terminal.on('close', resolve));
    try {
      await until(() => shown.includes('0 sessions'));
      await call(url, 'search');
      void call(url, 'wait').catch(() => undefined);
      await until(() => /RUNNING[^]*wait/.test(shown) && /ENDED[^]*search/.test(shown));
      terminal.stdin.write('q');
      expect(await ended).toBe(0);
    } finally {
      terminal.kill('SIGKILL');
    }
    expect(shown).not.toContain('\u001b[3');
    expect(shown).toContain('\u001b[?1049h');
    expect(shown).toContain('\u001b[?1049l');
  });
});
