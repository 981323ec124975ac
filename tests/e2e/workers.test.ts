import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { freshFetch } from './fresh-fetch.js';
import { post as postOver } from './modern-http.js';
import { endProcesses, freePort, freePorts, isAlive, ServerProcess, until, wholeLines } from './processes.js';
import { noRedis, Redis } from './redis.js';
import { fixture } from './sigil-command.js';

type Json = Record<string, unknown>;
type Env = Readonly<Record<string, string>>;

const PROGRAM = fixture('workers-server.mjs');
const KNOWS_TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const NO_BACKEND = 'without a backend, workers only serve clients of 2026-07-28';
const STATE_KEY = 'a secret of the tests, long enough to be one';

jest.setTimeout(60_000);
afterEach(endProcesses);

/** Sends a request over a connection of its own, so that it reaches another worker than the one before. */
const post = (address: string, method: string, params: Json, capabilities: Json = {}): Promise<Json> =>
  postOver(address, method, params, capabilities, freshFetch);

const call = async (address: string, name: string, args: Json = {}): Promise<string> => {
  const result = await post(address, 'tools/call', { name, arguments: args });
  return (result as { content: { text: string }[] }).content[0]?.text ?? '';
};

/** Starts the program and waits until it serves. */
async function start(args: readonly string[], env: Env = {}) {
  const server = new ServerProcess(PROGRAM, args, env);
  const port = await address(server);
  return { server, address: port };
}

async function address(server: ServerProcess): Promise<string> {
  await until(() => {
    if (server.child.exitCode !== null) throw new Error(`the program ended:\n${server.stderr}`);
    return server.stderr.includes('"event":"ready"');
  });
  return String((await server.event('ready'))['address']);
}

/** Starts two workers by an argument. */
const startTwo = async (env: Env = {}) =>
  start(['--http', '--port', String(await freePort()), '--workers', '2'], env);

/** The processes that serve, once there are so many of them. */
async function pids(address: string, count = 2): Promise<number[]> {
  const found = new Set<number>();
  await until(async () => found.add(Number(await call(address, 'pid'))).size >= count);
  return [...found];
}

describe('a program with workers', () => {
  test.each<[string, readonly string[], Env]>([
    ['--workers', ['--http', '--workers', '2'], {}],
    ['WORKERS', [], { MCP_TRANSPORT: 'http', WORKERS: '2' }],
  ])('serves behind one port from as many processes as %s says', async (_, args, env) => {
    const { server, address } = await start([...args, '--port', String(await freePort())], env);
    const found = await pids(address);
    expect(found).not.toContain(server.pid);
    for (let round = 0; round < 10; round += 1) found.push(Number(await call(address, 'pid')));
    expect(new Set(found).size).toBe(2);
    const listens = wholeLines(server.stderr).filter((line) => line.includes('listens'));
    expect(listens.map((line) => JSON.parse(line) as Json)).toEqual([
      expect.objectContaining({ level: 'info', address, workers: 2 }),
    ]);
  });

  test('serves metrics of each worker on a port of its own, which the next one in its place takes', async () => {
    const port = await freePorts(3);
    const METRICS_PORT = String(port + 1);
    const OPTIONS = JSON.stringify({ port, workers: 2 });
    const { address } = await start([], { OPTIONS, METRICS_PORT });
    const served = await pids(address);
    const scrape = async (number: number): Promise<number> => {
      const place = `http://127.0.0.1:${Number(METRICS_PORT) + number}/metrics`;
      return freshFetch(place).then(
        async (response) => Number(await response.text()),
        () => 0,
      );
    };
    const [first, second] = [await scrape(0), await scrape(1)];
    expect([first, second].sort()).toEqual(served.sort());
    process.kill(first, 'SIGKILL');
    await until(async () => ![0, first].includes(await scrape(0)));
    expect(await scrape(1)).toBe(second);
    expect(await pids(address)).toContain(await scrape(0));
  });

  test('replaces a worker that is killed', async () => {
    const { server, address } = await startTwo();
    const [killed = 0, left = 0] = await pids(address);
    process.kill(killed, 'SIGKILL');
    await until(() => server.stderr.includes('a worker has ended, and another one replaces it'));
    const now = await pids(address);
    expect(now).not.toContain(killed);
    expect(now).toContain(left);
  });

  describe.each(['SIGTERM', 'SIGINT'] as const)('on %s', (signal) => {
    test.each(['to its first process', 'to each of its processes'])(
      'answers what is in flight and ends all processes: %s',
      async (whom) => {
        const { server, address } = await startTwo();
        const workers = await pids(address);
        const pending = [call(address, 'slow'), call(address, 'slow')];
        await until(() => server.events('slow').length === 2);
        const told = whom === 'to its first process' ? [server.pid] : [server.pid, ...workers];
        for (const pid of told) process.kill(pid, signal);
        expect(await Promise.all(pending)).toEqual(['done', 'done']);
        expect(await server.ended).toEqual({ code: signal === 'SIGTERM' ? 0 : 130, signal: null });
        expect(workers.filter(isAlive)).toEqual([]);
        const disposed = server.events('disposed').map(({ pid }) => pid);
        expect(disposed.sort()).toEqual([server.pid, ...workers].sort());
      },
    );
  });

  test('ends all processes at once when it is told to a second time', async () => {
    const options = { port: await freePort(), workers: 2, ready: '/readyz', closeDelayMs: 60_000 };
    const { server, address } = await start([], { OPTIONS: JSON.stringify(options) });
    const workers = await pids(address);
    server.child.kill('SIGTERM');
    await until(async () => (await freshFetch(new URL('/readyz', address).href)).status === 503);
    server.child.kill('SIGTERM');
    await server.ended;
    expect(workers.filter(isAlive)).toEqual([]);
  });

  test('leaves no workers behind when its first process is killed, and cuts no request off', async () => {
    const { server, address } = await startTwo();
    const workers = await pids(address);
    const pending = call(address, 'slow');
    await until(() => server.events('slow').length === 1);
    server.child.kill('SIGKILL');
    expect(await pending).toBe('done');
    await until(() => workers.filter(isAlive).length === 0);
    expect(server.events('disposed')).toHaveLength(2);
  });

  test('closes its workers when the program closes it, where signals are left to the program', async () => {
    const options = { port: await freePort(), workers: 2, handleSignals: false };
    const { server, address } = await start([], { OPTIONS: JSON.stringify(options) });
    const workers = await pids(address);
    server.child.kill('SIGUSR2');
    await until(() => workers.filter(isAlive).length === 0);
    expect(isAlive(server.pid)).toBe(true);
  });

  test('closes a worker that is still starting', async () => {
    const { server } = await startTwo({ SECOND_STARTS_MS: '1000' });
    server.child.kill('SIGTERM');
    expect(await server.ended).toEqual({ code: 0, signal: null });
    expect(server.events('disposed')).toHaveLength(3);
  });

  test('serves with its workers while a load balancer takes note that it closes', async () => {
    const port = await freePort();
    const options = { port, workers: 2, ready: '/readyz', closeDelayMs: 1_000 };
    const { server, address } = await start([], { OPTIONS: JSON.stringify(options) });
    await pids(address);
    await closesLate(server, address, 1_000);
  });

  test('ends with its error when it cannot start', async () => {
    const server = new ServerProcess(PROGRAM, ['--http', '--port', '0', '--workers', '2'], {
      WORKER_FAILS: 'yes',
    });
    expect(await server.ended).toEqual({ code: 1, signal: null });
    expect(server.stderr).toContain('a program that cannot start');
    expect(server.stderr).toContain('A worker ended with code 1 before it listened');
    expect(server.stderr).not.toContain('another one replaces it');
  });

  test('ends with its error when its port is taken', async () => {
    const { server: other, address } = await startTwo();
    const { port } = new URL(address);
    const server = new ServerProcess(PROGRAM, ['--http', '--port', port, '--workers', '2']);
    expect(await server.ended).toEqual({ code: 1, signal: null });
    expect(server.stderr).toContain('EADDRINUSE');
    expect(isAlive(other.pid)).toBe(true);
  });
});

describe('workers without a backend', () => {
  test('serve no sessions, and say why', async () => {
    const { server, address } = await startTwo();
    const response = await freshFetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(INITIALIZE),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      id: 0,
      error: { message: expect.stringContaining('has no sessions, because it runs in several processes') },
    });
    expect(server.stderr.split(NO_BACKEND)).toHaveLength(2);
  });

  test('offer no tasks', async () => {
    const { address } = await startTwo();
    const { capabilities } = await post(address, 'server/discover', {}, KNOWS_TASKS);
    expect((capabilities as Json)['extensions'] ?? {}).not.toHaveProperty('io.modelcontextprotocol/tasks');
    await expect(post(address, 'tools/call', { name: 'job', arguments: {} }, KNOWS_TASKS)).rejects.toThrow(
      '-32021',
    );
  });

  test('go on with a call whose first round another worker has served', async () => {
    const { address } = await startTwo();
    await pids(address);
    const ABLE = { elicitation: { form: {} } };
    const seen = new Set<boolean>();
    await until(async () => {
      const asked = await post(address, 'tools/call', { name: 'ask', arguments: {} }, ABLE);
      const [key = ''] = Object.keys(asked['inputRequests'] as Json);
      const inputResponses = { [key]: { action: 'accept', content: { name: 'Ann' } } };
      const { requestState } = asked;
      const again = { name: 'ask', arguments: {}, requestState, inputResponses };
      const result = await post(address, 'tools/call', again, ABLE);
      const text = (result as { content: { text: string }[] }).content[0]?.text ?? '';
      const round = JSON.parse(text) as { name: string; asked: number; answered: number };
      expect(round.name).toBe('Ann');
      return seen.add(round.asked !== round.answered).has(true);
    });
  });
});

describe('a server that closes late', () => {
  test('serves for as long after SIGTERM, while it is not ready', async () => {
    const options = { port: await freePort(), ready: '/readyz', closeDelayMs: 1_000 };
    const { server, address } = await start([], { OPTIONS: JSON.stringify(options) });
    await closesLate(server, address, 1_000);
  });
});

/** Tells a server to end, and looks that it serves on for as long, not ready. */
async function closesLate(server: ServerProcess, address: string, closeDelayMs: number): Promise<void> {
  const readyz = new URL('/readyz', address).href;
  expect((await freshFetch(readyz)).status).toBe(200);
  const since = performance.now();
  server.child.kill('SIGTERM');
  await until(async () => (await freshFetch(readyz)).status === 503);
  expect(await (await freshFetch(readyz)).json()).toEqual({ status: 'closing' });
  expect(await call(address, 'pid')).toMatch(/^\d+$/);
  expect(await server.ended).toEqual({ code: 0, signal: null });
  expect(performance.now() - since).toBeGreaterThanOrEqual(closeDelayMs);
}

const withRedis = noRedis === undefined ? describe : describe.skip;
withRedis(`workers with a backend${noRedis === undefined ? '' : ` (${noRedis})`}`, () => {
  test('serve sessions, whichever of them a request reaches', async () => {
    await using redis = await disposable();
    const { server, address } = await startTwo({ BACKEND: redis.url, STATE_KEY });
    const send = (message: Json, session?: string): Promise<Response> =>
      freshFetch(address, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-11-25',
          ...(session === undefined ? {} : { 'mcp-session-id': session }),
        },
        body: JSON.stringify(message),
      });
    const id = (await send(INITIALIZE)).headers.get('mcp-session-id') ?? '';
    await send({ jsonrpc: '2.0', method: 'notifications/initialized' }, id);
    const served = new Set<string>();
    await until(async () => {
      const params = { name: 'pid', arguments: {} };
      const response = await send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, id);
      const { result } = (await response.json()) as { result: { content: { text: string }[] } };
      return served.add(result.content[0]?.text ?? '').size === 2;
    });
    expect(server.stderr).not.toContain(NO_BACKEND);
  });

  test('know tasks of each other, and hand theirs back when they end', async () => {
    await using redis = await disposable();
    const { server, address } = await startTwo({ BACKEND: redis.url, STATE_KEY });
    const workers = await pids(address);
    const begin = (args: Json): Promise<Json> =>
      post(address, 'tools/call', { name: 'job', arguments: args }, KNOWS_TASKS);
    const get = (taskId: unknown): Promise<Json> => post(address, 'tasks/get', { taskId }, KNOWS_TASKS);
    const { taskId } = await begin({});
    await until(async () => (await get(taskId))['status'] === 'completed');
    const { result } = await get(taskId);
    expect(workers.map(String)).toContain((result as { content: { text: string }[] }).content[0]?.text);

    await begin({ waits: true });
    await until(() => server.events('job').length === 2);
    server.child.kill('SIGTERM');
    await server.ended;
    const before = server.events('job').length;
    const next = await startTwo({ BACKEND: redis.url, STATE_KEY });
    // At once: what is handed back waits for no stall to be noticed.
    await until(() => next.server.events('job').length > 0, 10_000);
    expect(before).toBeLessThanOrEqual(3);
  });
});

withRedis(`a process that is told to end${noRedis === undefined ? '' : ` (${noRedis})`}`, () => {
  const options = async (more: Json) => JSON.stringify({ port: await freePort(), ready: '/readyz', ...more });

  test.each<[string, Json | undefined]>([
    ['that serves clients', { drainMs: 60_000 }],
    ['that only runs tasks', undefined],
  ])('waits for an effect of a task in flight before others run it: %s', async (_, served) => {
    await using redis = await disposable();
    const env = { BACKEND: redis.url, STATE_KEY };
    const only = { ...env, DRAIN_MS: '60000', TASKS: JSON.stringify({ worker: 'only' }) };
    const one = new ServerProcess(PROGRAM, [], served ? { ...env, OPTIONS: await options(served) } : only);
    await until(() => one.stderr.includes('"event":"ready"'));
    const front = { ...env, OPTIONS: await options({}), TASKS: JSON.stringify({ worker: false }) };
    const { address } = await start([], front);
    const { taskId } = await post(
      address,
      'tools/call',
      { name: 'job', arguments: { charges: true } },
      KNOWS_TASKS,
    );
    await until(() => one.events('charge').length === 1);
    const other = new ServerProcess(PROGRAM, [], only);
    await until(() => other.stderr.includes('"event":"ready"'));
    one.child.kill('SIGTERM');
    // The other one runs what it can, such as tasks that come later.
    await until(async () => {
      await post(address, 'tools/call', { name: 'job', arguments: {} }, KNOWS_TASKS);
      return other.events('job').length > 0;
    });
    one.child.kill('SIGHUP');
    expect(await one.ended).toEqual({ code: 0, signal: null });
    const get = (): Promise<Json> => post(address, 'tasks/get', { taskId }, KNOWS_TASKS);
    await until(async () => (await get())['status'] === 'completed');
    expect(other.events('charge')).toEqual([]);
  });

  test('leaves tasks to others while it still serves', async () => {
    await using redis = await disposable();
    const env = { BACKEND: redis.url, STATE_KEY };
    const closing = await start([], { ...env, OPTIONS: await options({ closeDelayMs: 60_000 }) });
    const other = await start([], { ...env, OPTIONS: await options({}) });
    closing.server.child.kill('SIGTERM');
    const readyz = new URL('/readyz', closing.address).href;
    await until(async () => (await freshFetch(readyz)).status === 503);
    const run = async (): Promise<unknown> => {
      const { taskId } = await post(
        closing.address,
        'tools/call',
        { name: 'job', arguments: {} },
        KNOWS_TASKS,
      );
      const get = (): Promise<Json> => post(closing.address, 'tasks/get', { taskId }, KNOWS_TASKS);
      await until(async () => (await get())['status'] === 'completed');
      return ((await get())['result'] as { content: { text: string }[] }).content[0]?.text;
    };
    // The first may come before the other has said that it is there.
    await until(async () => (await run()) === String(other.server.pid));
    for (let at = 0; at < 3; at += 1) expect(await run()).toBe(String(other.server.pid));
  });
});

withRedis(`a process that only runs tasks${noRedis === undefined ? '' : ` (${noRedis})`}`, () => {
  const ONLY = { STATE_KEY, TASKS: JSON.stringify({ worker: 'only' }) };
  const NEVER = { STATE_KEY, TASKS: JSON.stringify({ worker: false }) };

  test('runs the tasks of others, serves no clients, and hands back what it runs on SIGTERM', async () => {
    await using redis = await disposable();
    const port = String(await freePort());
    const { address } = await start(['--http', '--port', port], { ...NEVER, BACKEND: redis.url });
    const begin = (args: Json): Promise<Json> =>
      post(address, 'tools/call', { name: 'job', arguments: args }, KNOWS_TASKS);
    const get = (taskId: unknown): Promise<Json> => post(address, 'tasks/get', { taskId }, KNOWS_TASKS);
    const { taskId } = await begin({});
    const unused = String(await freePort());
    const worker = new ServerProcess(PROGRAM, ['--http', '--port', unused], { ...ONLY, BACKEND: redis.url });
    await until(async () => (await get(taskId))['status'] === 'completed');
    const { result } = await get(taskId);
    expect(result).toMatchObject({ content: [{ text: String(worker.pid) }] });
    await expect(fetch(`http://127.0.0.1:${unused}/health`)).rejects.toThrow('fetch failed');

    const { taskId: second } = await begin({ waits: true });
    await until(() => worker.events('job').length === 2);
    worker.child.kill('SIGTERM');
    expect(await worker.ended).toEqual({ code: 0, signal: null });
    expect(worker.events('disposed')).toHaveLength(1);
    expect(await get(second)).toMatchObject({ status: 'working' });
    // So it is where the program gives app.run() a runtime.
    const OPTIONS = JSON.stringify({ port: Number(unused) });
    const next = new ServerProcess(PROGRAM, [], { ...ONLY, OPTIONS, BACKEND: redis.url });
    await until(() => next.events('job').length === 1, 10_000);
    await expect(fetch(`http://127.0.0.1:${unused}/mcp`)).rejects.toThrow('fetch failed');
    await post(address, 'tasks/cancel', { taskId: second }, KNOWS_TASKS);
    expect(await get(second)).toMatchObject({ status: 'cancelled' });
    next.child.kill('SIGINT');
    expect((await next.ended).code).toBe(130);
  });
});

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'by-hand', version: '1.0.0' },
  },
};

/** A Redis that ends with the test. */
async function disposable(): Promise<{ readonly url: string } & AsyncDisposable> {
  const redis = await Redis.start();
  return { url: redis.url, [Symbol.asyncDispose]: () => redis.stop() };
}
