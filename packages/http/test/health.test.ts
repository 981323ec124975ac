import { describe, expect, test } from '@jest/globals';
import { http, type HttpRuntimeOptions } from '../src/index.js';
import { callModern } from './fixtures/messages.js';
import { nodeFetch } from './fixtures/node-fetch.js';
import { Running } from './fixtures/running.js';
import { until, within } from './fixtures/within.js';

const running = new Running();

async function start(options: HttpRuntimeOptions): Promise<string> {
  return (await running.start(options)).address ?? '';
}

/** What a request to a path is answered. */
async function ask(address: string, path: string, init: RequestInit = {}): Promise<Response> {
  return within(nodeFetch(new URL(path, address).href, init));
}

describe('the health of a server', () => {
  test('is told to everybody, and not kept', async () => {
    const address = await start({ health: '/health', authenticate: () => undefined });
    const headers = { Origin: 'https://somewhere.example', Host: 'somewhere.example' };
    for (const path of ['/health', '/health/', '/health?probe=1']) {
      const response = await ask(address, path, { headers });
      expect([response.status, await response.text()]).toEqual([200, '{"status":"ok"}']);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('content-type')).toBe('application/json');
    }
  });

  test('is told without a body to HEAD', async () => {
    const response = await ask(await start({ health: '/health' }), '/health', { method: 'HEAD' });
    expect([response.status, response.headers.get('content-length')]).toEqual([200, '15']);
  });

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('cannot be asked for with %s', async (method) => {
    const response = await ask(await start({ health: '/health' }), '/health', { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('is not served unless wanted, nor beside its path', async () => {
    expect((await ask(await start({}), '/health')).status).toBe(404);
    const address = await start({ health: '/health' });
    expect((await ask(address, '/healthy')).status).toBe(404);
    expect((await ask(address, '/health/more')).status).toBe(404);
  });

  test('is that of a server that closes, on connections that are still open', async () => {
    const server = await running.start({ health: '/health' });
    const client = running.client(server.address ?? '');
    const probe = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n';
    client.socket.write(probe);
    await until(() => client.received.includes('{"status":"ok"}'));
    const pending = callModern(
      { send: (init) => nodeFetch(server.address ?? '', init), close: () => Promise.resolve() },
      'hold',
      { label: 'a' },
    );
    const held = await running.fixture.holds.next();
    const closing = server.close();
    client.socket.write(probe);
    await until(() => client.received.includes('{"status":"closing"}'));
    expect(client.received).toContain('HTTP/1.1 503 ');
    held.release();
    expect((await within(pending)).status).toBe(200);
    await closing;
  });

  test.each([
    [{ health: '/mcp' }, 'it must not be /mcp: the server already uses /mcp'],
    [{ health: '/mcp/' }, 'it must not be /mcp/: the server already uses /mcp'],
    [{ health: '/a', path: '/a/' }, 'it must not be /a: the server already uses /a/'],
    [{ health: '/sse', sse: true }, 'it must not be /sse: the server already uses /sse'],
    [{ health: '/messages', sse: true }, 'it must not be /messages: the server already uses /messages'],
    [{ health: 'health' }, "it must be a path such as /health, not 'health'"],
    [{ health: '/health?a' }, "it must be a path such as /health, not '/health?a'"],
    [{ health: '' }, "it must be a path such as /health, not ''"],
  ])('cannot be told at %j', (options, message) => {
    expect(() => http(options)).toThrow(`http({ health }): ${message}\n`);
  });

  test('may be told at the paths of HTTP+SSE where that is off', async () => {
    expect((await ask(await start({ health: '/messages' }), '/messages')).status).toBe(200);
  });
});
