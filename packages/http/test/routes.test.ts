import { describe, expect, test } from '@jest/globals';
import { recordingLogger } from './fixtures/log.js';
import { nodeFetch } from './fixtures/node-fetch.js';
import { Running } from './fixtures/running.js';
import { until } from './fixtures/within.js';

const running = new Running();

async function start(...options: Parameters<Running['start']>): Promise<string> {
  return (await running.start(...options)).address ?? '';
}

describe('a route', () => {
  test('answers every method of its path, with headers and body of both sides', async () => {
    const address = await start({
      routes: {
        '/echo': async (request) =>
          Response.json(
            {
              method: request.method,
              query: new URL(request.url).search,
              said: request.headers.get('x-said'),
              body: await request.text(),
            },
            {
              status: 201,
              headers: [
                ['set-cookie', 'a=1'],
                ['set-cookie', 'b=2'],
              ],
            },
          ),
      },
    });
    const response = await nodeFetch(new URL('/echo?a=1', address).href, {
      method: 'PUT',
      headers: { 'x-said': 'hello' },
      body: 'ü'.repeat(50_000),
    });
    expect([response.status, response.headers.getSetCookie()]).toEqual([201, ['a=1', 'b=2']]);
    expect(await response.json()).toEqual({
      method: 'PUT',
      query: '?a=1',
      said: 'hello',
      body: 'ü'.repeat(50_000),
    });
    const head = await nodeFetch(new URL('/echo', address).href, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([201, '']);
  });

  test('is served to the hosts and pages that the endpoint is served to', async () => {
    const address = await start({ routes: { '/own': () => new Response('served') } });
    const ask = (headers: Record<string, string>) => nodeFetch(new URL('/own', address).href, { headers });
    expect(await (await ask({})).text()).toBe('served');
    expect((await ask({ Host: 'evil.example' })).status).toBe(403);
    expect((await ask({ Origin: 'https://evil.example' })).status).toBe(403);
  });

  test('that throws is answered with 500, and logged', async () => {
    const logger = recordingLogger();
    const routes = { '/own': () => Promise.reject(new Error('secret')) };
    const address = await start({ routes }, { logger: logger.logger });
    const response = await nodeFetch(new URL('/own', address).href, {});
    expect([response.status, await response.text()]).toEqual([500, '']);
    expect(JSON.stringify(logger.lines)).toContain('a route failed');
  });

  test('hears that the client has gone', async () => {
    let signal: AbortSignal | undefined;
    const routes = {
      '/own': (request: Request) => {
        signal = request.signal;
        return new Promise<Response>(() => undefined);
      },
    };
    const client = running.client(await start({ routes }));
    client.socket.write('GET /own HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await until(() => signal !== undefined);
    expect(signal?.aborted).toBe(false);
    client.socket.destroy();
    await until(() => signal?.aborted === true);
  });

  test.each([
    [{ mcp: () => new Response() }, "not 'mcp'"],
    [{ '/mcp': () => new Response() }, '/mcp is served already'],
    [{ '/health': () => new Response() }, '/health is served already'],
    [{ '/own': 'text' as never }, 'what serves /own must be a function'],
  ])('is refused where it cannot be served: %j', async (routes, what) => {
    await expect(start({ health: '/health', routes })).rejects.toThrow(what);
  });
});
