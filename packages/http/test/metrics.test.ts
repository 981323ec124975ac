import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { http, type HttpRuntimeOptions, type MetricsHandler } from '../src/index.js';
import { type Line, recordingLogger } from './fixtures/log.js';
import { callModern } from './fixtures/messages.js';
import { nodeFetch } from './fixtures/node-fetch.js';
import { Running } from './fixtures/running.js';
import { within } from './fixtures/within.js';

const running = new Running();
const TOKEN = 'a-token-of-the-operators-of-a-server';

/** Does what that of an exporter of OpenTelemetry does. */
const handler: MetricsHandler = (_request, response) => {
  response.statusCode = 200;
  response.setHeader('content-type', 'text/plain');
  response.end('calls 1\n');
};

async function start(options: HttpRuntimeOptions): Promise<string> {
  return (await running.start(options)).address ?? '';
}

async function ask(address: string, path = '/metrics', init: RequestInit = {}): Promise<Response> {
  return within(nodeFetch(new URL(path, address).href, init));
}

function withToken(token: string): RequestInit {
  return { headers: { Authorization: `Bearer ${token}` } };
}

describe('metrics', () => {
  test('are served beside the endpoint, by a handler of Node', async () => {
    const address = await start({ metrics: { handler } });
    const response = await ask(address);
    expect([response.status, await response.text()]).toEqual([200, 'calls 1\n']);
    expect(response.headers.get('content-type')).toBe('text/plain');
    const head = await ask(address, '/metrics/', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect((await ask(address, '/metrics-of-another')).status).toBe(404);
  });

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('cannot be asked for with %s', async (method) => {
    const response = await ask(await start({ metrics: { handler } }), '/metrics', { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('are served to the hosts and pages that the endpoint is served to', async () => {
    const address = await start({ metrics: { handler, path: '/own' } });
    const asked = async (headers: Record<string, string>) => (await ask(address, '/own', { headers })).status;
    expect(await asked({})).toBe(200);
    expect(await asked({ Host: 'evil.example' })).toBe(403);
    expect(await asked({ Origin: 'https://evil.example' })).toBe(403);
  });

  test('are served to those who send their token, where there is one', async () => {
    const address = await start({ metrics: { handler, token: TOKEN } });
    expect((await ask(address, '/metrics', withToken(TOKEN))).status).toBe(200);
    const wrong = await ask(address, '/metrics', withToken(`${TOKEN.slice(0, -1)}x`));
    expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer error="invalid_token"',
    ]);
    const without = await ask(address, '/metrics', { method: 'POST' });
    expect([without.status, without.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('secret');
      },
    ],
    ['rejects', () => Promise.reject(new Error('secret'))],
  ])('whose handler %s are answered with 500, and the log says why', async (_how, failing) => {
    const { logger, lines } = recordingLogger();
    const { address } = await running.start({ metrics: { handler: failing } }, { logger });
    const response = await ask(address);
    expect([response.status, await response.text()]).toEqual([500, '']);
    expect(lines).toContainEqual({
      level: 'error',
      message: 'metrics could not be served',
      details: { err: expect.objectContaining({ message: 'secret' }), path: '/metrics' },
    });
  });

  test('whose handler fails in the middle of an answer are broken off', async () => {
    const failing: MetricsHandler = (_request, response) => {
      response.write('calls ');
      throw new Error('secret');
    };
    const client = running.client(await start({ metrics: { handler: failing } }));
    client.socket.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await within(client.ended);
    expect(client.received).not.toContain('0\r\n\r\n');
  });
});

describe('metrics with a port of their own', () => {
  function placeOf(lines: readonly Line[]): string {
    const line = lines.find(({ message }) => message === 'serves metrics');
    return (line?.details as { address: string }).address;
  }

  async function startApart(metrics: Partial<NonNullable<HttpRuntimeOptions['metrics']>> = {}) {
    const { logger, lines } = recordingLogger();
    const server = await running.start({ metrics: { handler, port: 0, ...metrics } }, { logger });
    return { server, place: placeOf(lines) };
  }

  test('are served there alone, until the server closes', async () => {
    const { server, place } = await startApart();
    expect(place).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
    expect(await (await ask(place)).text()).toBe('calls 1\n');
    expect((await ask(place, '/mcp')).status).toBe(404);
    expect((await ask(server.address ?? '')).status).toBe(404);
    await server.close();
    await expect(ask(place)).rejects.toThrow('ECONNREFUSED');
  });

  test('are served while requests finish that are in flight', async () => {
    const { server, place } = await startApart();
    const send = (init: RequestInit) => nodeFetch(server.address ?? '', init);
    const pending = callModern({ send, close: () => Promise.resolve() }, 'hold', { label: 'a' });
    const held = await running.fixture.holds.next();
    const closing = server.close();
    expect((await ask(place)).status).toBe(200);
    held.release();
    expect((await within(pending)).status).toBe(200);
    await closing;
  });

  test('are served by any name where a token is sent, and by those of this machine otherwise', async () => {
    const headers = { Host: 'evil.example' };
    expect((await ask((await startApart()).place, '/metrics', { headers })).status).toBe(403);
  });

  test('keep the port of the endpoint free where theirs is taken, and the error says which option it is', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    try {
      await expect(start({ metrics: { handler, port } })).rejects.toThrow(
        `cannot listen on port ${port} of 127.0.0.1: another program uses this address. End that program, or set another port with the option metrics.port of http()`,
      );
    } finally {
      other.close();
    }
  });

  test('are not served on where the endpoint cannot listen', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const { logger, lines } = recordingLogger();
    try {
      const failing = running.start({ port, metrics: { handler, port: 0 } }, { logger });
      await expect(failing).rejects.toThrow('option port of http()');
      await expect(ask(placeOf(lines))).rejects.toThrow('ECONNREFUSED');
    } finally {
      other.close();
    }
  });
});

describe('metrics that cannot be served', () => {
  test.each<[object, string, string]>([
    [
      { metrics: { handler: 'text' } },
      'metrics.handler',
      'it must be a request listener, as for createServer() of node:http',
    ],
    [{ metrics: handler }, 'metrics', 'it must be an object'],
    [{ metrics: { handler, path: '/mcp' } }, 'metrics', 'the server already uses /mcp'],
    [
      { metrics: { handler, path: 'metrics' } },
      'metrics',
      "it must be a path such as /metrics, not 'metrics'",
    ],
    [{ metrics: { handler, path: 'metrics', port: 0 } }, 'metrics', 'it must be a path such as /metrics'],
    [{ metrics: { handler }, health: '/metrics' }, 'metrics', 'the server already uses /metrics'],
    [{ metrics: { handler }, routes: { '/metrics': handler } }, 'routes', 'the server already uses /metrics'],
    [{ metrics: { handler, port: 70_000 } }, 'metrics.port', 'it must be an integer from 0 to 65535'],
    [{ metrics: { handler, port: 65_535 }, workers: 2 }, 'metrics.port', 'from 0 to 65534'],
    [{ metrics: { handler, host: '127.0.0.1' } }, 'metrics.host', 'it needs a separate port for metrics'],
    [{ metrics: { handler, host: '', port: 0 } }, 'metrics.host', 'it must not be empty'],
    [
      { metrics: { handler }, workers: 2 },
      'metrics',
      'each worker has separate metrics, but a request on the shared port can reach any worker',
    ],
    [{ metrics: { handler, token: 'short' } }, 'metrics.token', 'at least 32 characters'],
    [{ metrics: { handler, token: 'ä'.repeat(32) } }, 'metrics.token', 'letters, digits'],
    [
      { metrics: { handler }, host: '0.0.0.0', allowAnonymous: true },
      'metrics',
      'every client that reaches 0.0.0.0',
    ],
    [
      { metrics: { handler, port: 0, host: '::' } },
      'metrics',
      'every client that reaches :: could read the metrics',
    ],
  ])('are refused before the start: %j', (options, option, what) => {
    expect(() => http(options)).toThrow(`http({ ${option} }): `);
    expect(() => http(options)).toThrow(what);
  });

  test('are none, where they are served beyond this machine with a token, or on this machine beside it', () => {
    const beyond = { host: '0.0.0.0', allowAnonymous: true };
    expect(() => http({ ...beyond, metrics: { handler, token: TOKEN } })).not.toThrow();
    expect(() => http({ ...beyond, metrics: { handler, port: 9464 } })).not.toThrow();
    expect(() => http({ workers: 2, metrics: { handler, port: 9464 } })).not.toThrow();
  });
});
