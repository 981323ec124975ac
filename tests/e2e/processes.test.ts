import { afterEach, describe, expect, test } from '@jest/globals';
import { v1, v2Auto, v2Legacy, v2Pinned } from './clients.js';
import { Calls } from './calls.js';
import {
  EVERYTHING,
  endProcesses,
  INVENTORY,
  isAlive,
  SERVER,
  ServerProcess,
  startHttp,
  until,
} from './processes.js';
import { fixture } from './sigil-command.js';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const call = (name: string, id: number | string = 1, args: object = {}): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args, _meta: META },
});
const list = { jsonrpc: '2.0', id: 'list', method: 'tools/list', params: { _meta: META } };

afterEach(endProcesses);

/** Sends a request of 2026-07-28. */
function post(address: string, message: object, signal?: AbortSignal): Promise<Response> {
  const { method, params } = message as { method: string; params: { name?: string } };
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': method,
    ...(params.name === undefined ? {} : { 'Mcp-Name': params.name }),
  };
  return fetch(address, {
    method: 'POST',
    headers,
    body: JSON.stringify(message),
    ...(signal ? { signal } : {}),
  });
}

/** Starts a server over stdio and waits for its first answer. */
async function startStdio(script = SERVER): Promise<ServerProcess> {
  const server = new ServerProcess(script);
  server.send(list);
  await until(() => server.stdout.includes('"id":"list"'));
  return server;
}

test.each(['first', 'second'])(
  'one of two apps that a program makes is served over stdio, and what it prints stays off: the %s',
  async (which) => {
    const server = new ServerProcess(fixture('two-apps-server.mjs'), [which]);
    server.send(call('greet'));
    await until(() => server.messages().length > 0);
    expect(server.messages()).toMatchObject([{ id: 1, result: { content: [{ text: which }] } }]);
    expect(server.stderr).toContain('made both');
    expect(server.stderr).toContain('is called');
    server.child.stdin.end();
    expect(await server.ended).toMatchObject({ code: 0 });
  },
);

describe.each([
  ['the fixture', SERVER],
  ['the inventory app', INVENTORY],
  ['the everything app', EVERYTHING],
])('%s over stdio', (_name, script) => {
  test('ends with 0 when its input does [checklist 47]', async () => {
    const server = await startStdio(script);
    server.child.stdin.end();
    expect(await server.ended).toEqual({ code: 0, signal: null });
    expect(isAlive(server.pid)).toBe(false);
  });

  test('ends with 0 on SIGTERM, while its input is open [checklist 47]', async () => {
    const server = await startStdio(script);
    server.child.kill('SIGTERM');
    expect(await server.ended).toEqual({ code: 0, signal: null });
    expect(isAlive(server.pid)).toBe(false);
  });

  test('ends when nobody reads it any more [checklist 47]', async () => {
    const server = await startStdio(script);
    server.child.stdout.destroy();
    server.send(list);
    expect(await server.ended).toEqual({ code: 0, signal: null });
  });

  test('writes nothing but JSON lines to standard output [checklist 46]', async () => {
    const server = await startStdio(script);
    server.child.stdin.write('nonsense\n\n{"jsonrpc":"2.0"}\n');
    server.send({ ...list, id: 'again' });
    server.child.stdin.end();
    await server.ended;
    const messages = server.messages();
    expect(messages.length).toBeGreaterThanOrEqual(2);
    for (const message of messages) expect(message).toHaveProperty('jsonrpc', '2.0');
  });
});

describe('a server over stdio', () => {
  test('keeps what handlers print off its standard output [checklist 46]', async () => {
    const server = await startStdio();
    server.send(call('noisy', 'noisy'));
    await until(() => server.stdout.includes('"id":"noisy"'));
    server.child.stdin.end();
    await server.ended;
    expect(server.messages().map(({ id }) => id)).toEqual(['list', 'noisy']);
    for (const stray of ['stray line', '{"stray":true}', 'stray bytes'])
      expect(server.stderr).toContain(stray);
  });

  test('answers what is in flight when its input ends [checklist 47]', async () => {
    const server = await startStdio();
    server.send(call('slow', 'slow'));
    server.child.stdin.end();
    expect((await server.ended).code).toBe(0);
    expect(server.messages().at(-1)).toMatchObject({ id: 'slow', result: { content: [{ text: 'done' }] } });
  });

  test('answers what is in flight on SIGTERM [checklist 47]', async () => {
    const server = await startStdio();
    server.send(call('slow', 'slow'));
    await server.event('slow');
    server.child.kill('SIGTERM');
    expect((await server.ended).code).toBe(0);
    expect(server.messages().at(-1)).toMatchObject({ id: 'slow' });
  });

  test('aborts what would never end, and ends itself [checklist 47]', async () => {
    const server = await startStdio();
    server.send(call('hang', 'hang'));
    await server.event('hanging');
    server.child.stdin.end();
    expect((await server.ended).code).toBe(0);
    await server.event('aborted');
  });

  test('ends when its client vanishes in the middle of a call [checklist 47]', async () => {
    const server = await startStdio();
    server.send(call('hang', 'hang'));
    await server.event('hanging');
    server.child.stdin.destroy();
    server.child.stdout.destroy();
    server.child.stderr.destroy();
    expect((await server.ended).code).toBe(0);
    expect(isAlive(server.pid)).toBe(false);
  });

  test('takes lines that end in CRLF, and messages cut anywhere [checklist 46]', async () => {
    const server = await startStdio();
    const bytes = Buffer.from(`${JSON.stringify(call('echo', 'crlf', { text: 'ä🌍' }))}\r\n`);
    for (const byte of bytes) server.child.stdin.write(Buffer.from([byte]));
    await until(() => server.stdout.includes('"id":"crlf"'));
    expect(server.messages().at(-1)).toMatchObject({ result: { content: [{ text: 'ä🌍' }] } });
  });
});

describe('a server that would linger', () => {
  const LINGERING = fixture('lingering-server.mjs');

  /** Starts a call that never ends, ends the server, and measures how long it takes, in milliseconds. */
  async function end(how: (server: ServerProcess) => void, ...args: string[]) {
    const server = new ServerProcess(LINGERING, args);
    await server.event('ready');
    server.send(call('ignore', 'ignore'));
    await server.event('hanging');
    server.send(call('quick', 'quick'));
    // What was sent before the end of the input is read; a signal would overtake it.
    await server.event('working');
    const since = performance.now();
    how(server);
    const ended = await server.ended;
    return { server, ended, ms: performance.now() - since };
  }

  test.each<[string, (server: ServerProcess) => void]>([
    ['the end of its input', ({ child }) => void child.stdin.end()],
    ['SIGTERM', ({ child }) => void child.kill('SIGTERM')],
    ['both', ({ child }) => void (child.stdin.end(), child.kill('SIGTERM'))],
  ])(
    'aborts handlers, answers for them and ends within 1.5 s of %s, exit handlers and disposal included [checklist 47] [checklist 53]',
    async (_, how) => {
      const { server, ended, ms } = await end(how);
      expect(ended).toEqual({ code: 0, signal: null });
      expect(ms).toBeLessThan(1_500);
      expect(server.messages()).toMatchObject([
        { id: 'quick', result: { content: [{ text: 'quick' }] } },
        { id: 'ignore', error: { code: -32603, message: 'The server is closing' } },
      ]);
      const events = server.stderr.match(/"(aborted|disposed|exit handler)"/g);
      expect(events).toEqual(['"aborted"', '"disposed"', '"exit handler"']);
    },
  );

  test('ends within 1.5 s although a service is never disposed of [checklist 47]', async () => {
    const { server, ended, ms } = await end(({ child }) => void child.stdin.end(), '--hang');
    expect(ended).toEqual({ code: 0, signal: null });
    expect(ms).toBeLessThan(1_500);
    expect(server.stderr).not.toContain('disposed');
    expect(server.stderr).toContain('exit handler');
  });

  test('goes on over HTTP when its standard input ends, and ends on SIGTERM [checklist 47]', async () => {
    const server = new ServerProcess(LINGERING, ['--http', '--port', '0']);
    const { address } = await server.event('ready');
    server.child.stdin.end();
    const pending = post(String(address), call('ignore')).catch(() => undefined);
    await server.event('hanging');
    server.child.kill('SIGTERM');
    expect(await server.ended).toEqual({ code: 0, signal: null });
    await pending;
    expect(server.stderr.match(/"(aborted|disposed|exit handler)"/g)).toEqual([
      '"aborted"',
      '"disposed"',
      '"exit handler"',
    ]);
  }, 15_000);
});

describe('an official client that leaves', () => {
  test.each([v1('2025-11-25'), v2Legacy('2025-11-25'), v2Auto, v2Pinned])(
    'by closing leaves no process: $name [checklist 47]',
    async (kind) => {
      const { client, pid = 0 } = await kind.connect({ script: SERVER });
      const pending = new Calls(client).text('hang');
      const failed = expect(pending).rejects.toThrow();
      expect(isAlive(pid)).toBe(true);
      await client.close();
      await failed;
      await until(() => !isAlive(pid));
    },
  );
});

describe('a server over HTTP', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'answers what is in flight on %s, then ends [checklist 47]',
    async (signal) => {
      const { server, address } = await startHttp();
      const pending = post(address, call('slow', 'slow'));
      await server.event('slow');
      server.child.kill(signal);
      expect(await (await pending).json()).toMatchObject({
        id: 'slow',
        result: { content: [{ text: 'done' }] },
      });
      expect(await server.ended).toEqual({ code: signal === 'SIGTERM' ? 0 : 130, signal: null });
      expect(isAlive(server.pid)).toBe(false);
    },
  );

  test('ends on SIGTERM although a call never would [checklist 47]', async () => {
    const { server, address } = await startHttp();
    const pending = post(address, call('hang')).catch(() => undefined);
    await server.event('hanging');
    server.child.kill('SIGTERM');
    expect(await server.ended).toEqual({ code: 0, signal: null });
    await server.event('aborted');
    await pending;
  });

  test('ends on SIGTERM while sessions and their streams are open [checklist 47]', async () => {
    const { server, address } = await startHttp();
    await v1('2025-11-25').connect({ address });
    await v2Legacy('2025-06-18').connect({ address });
    server.child.kill('SIGTERM');
    expect(await server.ended).toEqual({ code: 0, signal: null });
  });

  test('aborts the call of a client that vanishes, and serves on [checklist 22]', async () => {
    const { server, address } = await startHttp();
    const gone = new AbortController();
    const pending = post(address, call('hang'), gone.signal).catch(() => undefined);
    await server.event('hanging');
    gone.abort();
    await pending;
    await server.event('aborted');
    expect((await post(address, list)).status).toBe(200);
  });

  test('aborts the call of a client process that is killed [checklist 22]', async () => {
    const { server, address } = await startHttp();
    const script = new URL('./fixtures/caller.mjs', import.meta.url).pathname;
    const caller = new ServerProcess(script, [address]);
    await server.event('hanging');
    caller.child.kill('SIGKILL');
    await caller.ended;
    await server.event('aborted');
    expect(isAlive(server.pid)).toBe(true);
  });

  test('outlives messages made to end it', async () => {
    const { server, address } = await startHttp();
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const claims = ['{"toString":null,"valueOf":null}', deep].map((version) =>
      JSON.stringify(list).replace('"2026-07-28"', version),
    );
    const headers = {
      'Content-Type': 'application/json',
      Accept: '*/*',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/list',
    };
    for (const body of [...claims, deep]) {
      const signal = AbortSignal.timeout(1_000);
      await fetch(address, { method: 'POST', headers, body, signal }).catch(() => undefined);
    }
    expect(isAlive(server.pid)).toBe(true);
    expect((await post(address, list)).status).toBe(200);
  });
});
