import { expect, test } from '@jest/globals';
import { post } from './fixtures/messages.js';
import { initialize, openSession } from './fixtures/session.js';
import { describeBridges } from './fixtures/suite.js';

describeBridges('HTTP methods', (bench) => {
  test.each(['PUT', 'PATCH', 'HEAD'])(
    '%s is answered with 405 and what is allowed [checklist 17]',
    async (method) => {
      const response = await bench().send({ method });
      expect(response.status).toBe(405);
      const allowed = response.headers.get('allow')?.split(', ');
      expect(allowed).toEqual(expect.arrayContaining(['POST', 'GET', 'DELETE']));
    },
  );

  test.each(['application/json', 'text/html', 'text/event-stream;q=0'])(
    'GET that accepts %s only is refused with 406 [checklist 17]',
    async (Accept) => {
      const session = await openSession(bench());
      const response = await bench().send({ method: 'GET', headers: { ...session.headers, Accept } });
      expect(response.status).toBe(406);
    },
  );

  test.each(['GET', 'DELETE'])(
    '%s without a session is 400, of an unknown one 404 [checklist 23]',
    async (method) => {
      const Accept = 'text/event-stream';
      expect((await bench().send({ method, headers: { Accept } })).status).toBe(400);
      const headers = { Accept, 'Mcp-Session-Id': crypto.randomUUID() };
      expect((await bench().send({ method, headers })).status).toBe(404);
    },
  );

  test.each(['GET', 'DELETE'])('%s with a version that is none is 400 [checklist 24]', async (method) => {
    const session = await openSession(bench());
    const headers = { ...session.headers, Accept: 'text/event-stream', 'MCP-Protocol-Version': '1999-01-01' };
    const response = await bench().send({ method, headers });
    await response.body?.cancel();
    expect(response.status).toBe(400);
    expect((await session.post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(200);
  });

  test('OPTIONS without an origin says what is allowed', async () => {
    const response = await bench().send({ method: 'OPTIONS' });
    expect(response.status).toBe(204);
    expect(response.headers.get('allow')).toContain('POST');
  });

  test('names of headers are read whatever their case [checklist 11]', async () => {
    const response = await post(bench(), initialize(), {
      'content-TYPE': 'application/json',
      'Content-Type': '',
    });
    expect(response.status).toBe(200);
  });
});
