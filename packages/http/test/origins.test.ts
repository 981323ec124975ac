import { expect, test } from '@jest/globals';
import { callModern, json, post } from './fixtures/messages.js';
import { initialize, openSession } from './fixtures/session.js';
import { describeBridges } from './fixtures/suite.js';

const status = async (response: Promise<Response>): Promise<number> => (await response).status;

describeBridges('who may call, unless options say otherwise', (bench) => {
  test.each([
    'evil.example',
    'localhost.evil.example',
    'evil.example:3000',
    '192.168.0.1',
    '127.0.0.1.evil.example',
  ])('Host "%s" is refused with 403 [checklist 18]', async (Host) => {
    const response = await post(bench(), initialize(), { Host });
    expect(response.status).toBe(403);
    expect(await json(response)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32600 } });
    expect(await status(callModern(bench(), 'echo', { text: 'a' }, { headers: { Host } }))).toBe(403);
  });

  test.each(['localhost', 'localhost:3000', '127.0.0.1:1', '[::1]', '[::1]:3000', 'LocalHost:80'])(
    'Host "%s" is this machine [checklist 18]',
    async (Host) => expect(await status(post(bench(), initialize(), { Host }))).toBe(200),
  );

  test.each([
    'https://evil.example',
    'null',
    'http://localhost.evil.example',
    'http://evil.example:3000',
    'file://',
    'http://localhost/path',
    'chrome-extension://localhost',
    'http://user@localhost',
    'localhost',
  ])('Origin "%s" is refused with 403, in either era and for every method [checklist 18]', async (Origin) => {
    const session = await openSession(bench());
    expect(await status(session.post(initialize(), { headers: { Origin } }))).toBe(403);
    expect(await status(callModern(bench(), 'echo', { text: 'a' }, { headers: { Origin } }))).toBe(403);
    for (const method of ['GET', 'DELETE', 'OPTIONS']) {
      const headers = { ...session.headers, Accept: 'text/event-stream', Origin };
      expect(await status(bench().send({ method, headers }))).toBe(403);
    }
    // None of that has touched the session.
    expect(await status(session.end())).toBe(204);
  });

  test('a refused origin is not told that it may read the answer [checklist 18]', async () => {
    const response = await post(bench(), initialize(), { Origin: 'https://evil.example' });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  test.each(['http://localhost:5173', 'https://localhost', 'http://127.0.0.1:6274', 'http://[::1]:8080'])(
    'Origin "%s" is this machine, and may read the answer [checklist 18]',
    async (Origin) => {
      const response = await post(bench(), initialize(), { Origin });
      expect(response.status).toBe(200);
      expect(response.headers.get('access-control-allow-origin')).toBe(Origin);
      expect(response.headers.get('access-control-expose-headers')).toContain('Mcp-Session-Id');
      expect(response.headers.get('vary')).toContain('Origin');
    },
  );

  test('a program, which sends no Origin, passes and gets no CORS headers [checklist 18]', async () => {
    const response = await post(bench(), initialize());
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('a preflight of an allowed page is answered', async () => {
    const response = await bench().send({
      method: 'OPTIONS',
      headers: {
        Origin: 'http://localhost:5173',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type, mcp-method, mcp-param-region',
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
    expect(response.headers.get('access-control-allow-methods')).toMatch(/POST.*GET.*DELETE/);
    expect(response.headers.get('access-control-allow-headers')).toContain('mcp-param-region');
    expect(await response.text()).toBe('');
  });

  test('a stream may be read by the page it is for', async () => {
    const headers = { Origin: 'http://localhost:5173' };
    const response = await callModern(bench(), 'count', {}, { headers, meta: { progressToken: 1 } });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
    await response.text();
  });
});

describeBridges(
  'allowedHosts and allowedOrigins',
  (bench) => {
    test('only listed hosts are served, whatever their case [checklist 18]', async () => {
      expect(await status(post(bench(), initialize(), { Host: 'mcp.example:8443' }))).toBe(200);
      expect(await status(post(bench(), initialize(), { Host: 'API.example' }))).toBe(200);
      expect(await status(post(bench(), initialize(), { Host: 'localhost' }))).toBe(403);
    });

    test('only listed origins may call [checklist 18]', async () => {
      const Host = 'mcp.example';
      const asks = (Origin: string): Promise<number> => status(post(bench(), initialize(), { Host, Origin }));
      expect(await asks('https://app.example')).toBe(200);
      expect(await asks('http://app.example')).toBe(403);
      expect(await asks('https://app.example:8443')).toBe(403);
      expect(await asks('http://localhost')).toBe(403);
      expect(await asks('null')).toBe(403);
    });
  },
  { allowedHosts: ['mcp.example', 'Api.Example'], allowedOrigins: ['https://app.example'] },
);

describeBridges(
  'allowedHosts: *',
  (bench) => {
    test('any host is served, and pages still need to be listed [checklist 18]', async () => {
      expect(await status(post(bench(), initialize(), { Host: 'any.example' }))).toBe(200);
      expect(await status(post(bench(), initialize(), { Origin: 'http://localhost:5173' }))).toBe(403);
    });
  },
  { allowedHosts: '*' },
);
