import { describe, expect, test } from '@jest/globals';
import type { RefusalEvent } from '@sigil/core';
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

  test('names the client behind a trusted proxy when it refuses a page', async () => {
    const address = await start({ trustedProxies: ['127.0.0.1'], routes: { '/own': () => new Response() } });
    const refused: RefusalEvent[] = [];
    running.fixture.app.observe({ refused: (event) => void refused.push(event) });
    const headers = { Origin: 'https://evil.example', 'X-Forwarded-For': '192.0.2.7' };
    expect((await nodeFetch(new URL('/own', address).href, { headers })).status).toBe(403);
    expect(refused).toMatchObject([{ status: 403, address: '192.0.2.7' }]);
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

  test('whose listener of the signal throws is logged with its path, and ends nothing', async () => {
    const { logger, lines } = recordingLogger();
    let isAsked = false;
    const routes = {
      '/own': (request: Request) => {
        request.signal.addEventListener('abort', () => {
          throw new Error('thrown');
        });
        const rejected = (): unknown => Promise.reject(new Error('rejected'));
        request.signal.addEventListener('abort', rejected);
        isAsked = true;
        return new Promise<Response>(() => undefined);
      },
    };
    const client = running.client(await start({ routes }, { logger }));
    client.socket.write('GET /own HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await until(() => isAsked);
    client.socket.destroy();
    const told = () => lines.filter(({ message }) => message === 'a listener of request.signal failed');
    await until(() => told().length === 2);
    expect(told().map(({ details }) => details)).toMatchObject([
      { path: '/own', err: { message: 'thrown' } },
      { path: '/own', err: { message: 'rejected' } },
    ]);
  });

  test.each([
    [
      'throws when it is pulled',
      () => new ReadableStream({ pull: () => Promise.reject(new Error('broken')) }),
    ],
    [
      'breaks off',
      () =>
        new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode('begun'));
            setTimeout(() => controller.error(new Error('broken')), 10);
          },
        }),
    ],
  ])('whose body %s is logged with its path, and its answer breaks off', async (_how, body) => {
    const { logger, lines } = recordingLogger();
    const address = await start({ routes: { '/own': () => new Response(body()) } }, { logger });
    const read = nodeFetch(new URL('/own', address).href, {}).then((response) => response.text());
    await expect(read).rejects.toThrow();
    expect(lines.filter(({ level }) => level === 'error')).toMatchObject([
      { details: { path: '/own', err: { message: 'broken' } }, message: 'a route failed' },
    ]);
  });

  test('whose body was read before is answered with 500, and logged', async () => {
    const { logger, lines } = recordingLogger();
    const routes = {
      '/own': async () => {
        const response = new Response('x');
        await response.text();
        return response;
      },
    };
    const response = await nodeFetch(new URL('/own', await start({ routes }, { logger })).href, {});
    expect(response.status).toBe(500);
    expect(lines.filter(({ level }) => level === 'error')).toMatchObject([
      { details: { path: '/own' }, message: 'a route failed' },
    ]);
  });

  test('logs nothing of a body whose client leaves', async () => {
    const { logger, lines } = recordingLogger();
    let isCancelled = false;
    const body = () =>
      new ReadableStream({
        async pull(controller) {
          await new Promise((resolve) => setTimeout(resolve, 5));
          controller.enqueue(new Uint8Array(1000));
        },
        cancel: () => void (isCancelled = true),
      });
    const client = running.client(
      await start({ routes: { '/own': () => new Response(body()) } }, { logger }),
    );
    client.socket.write('GET /own HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await new Promise((resolve) => client.socket.once('data', resolve));
    client.socket.destroy();
    await until(() => isCancelled);
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test.each([
    [{ mcp: () => new Response() }, "not 'mcp'"],
    [{ '/mcp': () => new Response() }, 'the server already uses /mcp'],
    [{ '/health': () => new Response() }, 'the server already uses /health'],
    [{ '/own': 'text' as never }, 'the handler of /own must be a function'],
  ])('is refused where it cannot be served: %j', async (routes, what) => {
    await expect(start({ health: '/health', routes })).rejects.toThrow(what);
  });
});
