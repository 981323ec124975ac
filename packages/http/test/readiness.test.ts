import { memoryBackend } from '@sigil/core/backend';
import type { RunningRuntime } from '@sigil/core/transport';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { http, type HttpRuntimeOptions } from '../src/index.js';
import { createFixture, type Fixture } from './fixtures/app.js';
import { callModern } from './fixtures/messages.js';
import { nodeFetch } from './fixtures/node-fetch.js';
import { RawClient } from './fixtures/raw-client.js';
import { until, within } from './fixtures/within.js';

const READY = '/readyz';
let fixture: Fixture | undefined;
let running: RunningRuntime | undefined;

afterEach(async () => {
  jest.useRealTimers();
  await running?.close();
  await fixture?.app.close();
  fixture = running = undefined;
});

/** Serves an app whose backend is checked so; without a check it has no backend. */
async function start(check?: () => Promise<void>, options: HttpRuntimeOptions = {}): Promise<string> {
  const backend = check && { backend: { ...memoryBackend(), check }, state: { keys: ['k'.repeat(32)] } };
  fixture = await createFixture(backend);
  running = await fixture.app.run(http({ port: 0, handleSignals: false, ready: READY, ...options }));
  return running.address;
}

/** The status and body that a request is answered with. */
async function ask(address: string, path = READY, method = 'GET'): Promise<[number, string]> {
  const response = await within(nodeFetch(new URL(path, address).href, { method }));
  return [response.status, await response.text()];
}

const SAME = { keys: 'ok', version: 'ok' };
const ALL_OK = JSON.stringify({ status: 'ready', checks: { store: 'ok', bus: 'ok', tasks: 'ok', ...SAME } });
const UNAVAILABLE = [
  503,
  JSON.stringify({
    status: 'unavailable',
    checks: { store: 'does not answer', bus: 'ok', tasks: 'ok', ...SAME },
  }),
];

describe('whether a server is ready', () => {
  test('is told to everybody, and not kept', async () => {
    const address = await start(undefined, { authenticate: () => undefined });
    const headers = { Origin: 'https://somewhere.example', Host: 'somewhere.example' };
    const response = await within(nodeFetch(new URL(READY, address).href, { headers }));
    expect([response.status, await response.text()]).toEqual([200, '{"status":"ready","checks":{}}']);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('content-type')).toBe('application/json');
  });

  test('is told without a body to HEAD', async () => {
    const address = await start(() => Promise.resolve());
    const response = await within(nodeFetch(new URL(READY, address).href, { method: 'HEAD' }));
    expect([response.status, response.headers.get('content-length')]).toEqual([200, `${ALL_OK.length}`]);
  });

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('cannot be asked for with %s', async (method) => {
    const response = await within(nodeFetch(new URL(READY, await start()).href, { method }));
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('is not served unless wanted', async () => {
    expect((await ask(await start(undefined, { ready: undefined } as never)))[0]).toBe(404);
  });

  test('follows the backend, which is asked once in half a second however many ask', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    const check = jest.fn<() => Promise<void>>().mockResolvedValue();
    const address = await start(check, { health: '/health' });
    expect(await Promise.all([ask(address), ask(address)])).toEqual(
      Array.from({ length: 2 }, () => [200, ALL_OK]),
    );
    check.mockRejectedValue(new Error('it is down'));
    jest.advanceTimersByTime(499);
    expect((await ask(address))[0]).toBe(200);
    expect(check).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(1);
    expect(await ask(address)).toEqual(UNAVAILABLE);
    expect(await ask(address)).toEqual(UNAVAILABLE);
    expect(check).toHaveBeenCalledTimes(2);
    // The process serves: ending it would not bring the backend back.
    expect((await ask(address, '/health'))[0]).toBe(200);
    check.mockResolvedValue();
    jest.advanceTimersByTime(500);
    expect((await ask(address))[0]).toBe(200);
  });

  test('is no, while the backend does not say anything for two seconds', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    const check = jest.fn<() => Promise<void>>(() => new Promise(() => undefined));
    const address = await start(check);
    const asked = nodeFetch(new URL(READY, address).href, {});
    while (check.mock.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    jest.advanceTimersByTime(2_000);
    expect((await asked).status).toBe(503);
  });

  test('is no, when the backend throws', async () => {
    const address = await start(() => {
      throw new Error('it is down');
    });
    expect(await ask(address)).toEqual(UNAVAILABLE);
  });

  test('is no, while the server closes', async () => {
    const address = await start();
    const client = new RawClient(address);
    const probe = `GET ${READY} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    client.socket.write(probe);
    await until(() => client.received.includes('{"status":"ready",'));
    const target = { send: (init: RequestInit) => nodeFetch(address, init), close: () => Promise.resolve() };
    const pending = callModern(target, 'hold', { label: 'a' });
    const held = await fixture?.holds.next();
    const closing = running?.close();
    client.socket.write(probe);
    await until(() => client.received.includes('{"status":"closing"}'));
    expect(client.received).toContain('HTTP/1.1 503 ');
    held?.release();
    expect((await within(pending)).status).toBe(200);
    await closing;
    client.socket.destroy();
  });

  test.each<[HttpRuntimeOptions, string]>([
    [{ ready: '/mcp/' }, 'it must not be /mcp/: the server already uses /mcp'],
    [{ ready: '/a', health: '/a' }, 'it must not be /a: the server already uses /a'],
    [{ ready: '/a/', health: '/a' }, 'it must not be /a/: the server already uses /a'],
    [{ ready: '/sse', sse: true }, 'it must not be /sse: the server already uses /sse'],
    [{ ready: 'readyz' }, "it must be a path such as /ready, not 'readyz'"],
    [{ ready: '' }, "it must be a path such as /ready, not ''"],
  ])('cannot be told at %j', (options, message) => {
    expect(() => http(options)).toThrow(`http({ ready }): ${message}\n`);
  });
});

describe('how a server closes and is multiplied', () => {
  test.each<[keyof HttpRuntimeOptions, unknown, RegExp]>([
    ['closeDelayMs', -1, /it must be a number of milliseconds, not -1/],
    ['closeDelayMs', '5s', /it must be a number of milliseconds, not 5s/],
    ['closeDelayMs', Infinity, /it must be a number of milliseconds, not Infinity/],
    ['workers', 0, /workers/],
    ['workers', 1.5, /workers/],
    ['workers', '2', /workers/],
  ])('refuses %s: %j', (option, value, message) => {
    expect(() => http({ [option]: value } as HttpRuntimeOptions)).toThrow(message);
    expect(() => http({ [option]: value } as HttpRuntimeOptions)).toThrow(`http({ ${option} })`);
  });

  test('close() by the program waits for no load balancer', async () => {
    await start(undefined, { closeDelayMs: 60_000 });
    await within(running?.close() ?? Promise.resolve());
  });
});
