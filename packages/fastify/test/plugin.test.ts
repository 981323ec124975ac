import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { createApp } from '@sigil/core';
import { fastifyPlugin } from '@sigil/fastify';
import Fastify, { type FastifyInstance } from 'fastify';

const open: FastifyInstance[] = [];
afterEach(async () => {
  for (const fastify of open.splice(0)) await fastify.close();
});

const app = await createApp({ name: 'shop', version: '1.0.0' });
const authorization = () => ({
  authorize: () => ({ principal: undefined }),
  insufficientScope: () => ({ status: 403 as const, message: '', headers: {} }),
  document: (path: string) =>
    path.startsWith('/.well-known/here') ? { body: '{"found":true}', headers: {} } : undefined,
});

function fastifyHere(): FastifyInstance {
  const fastify = Fastify();
  open.push(fastify);
  return fastify;
}

test('serves documents at the root, and its endpoint behind the prefix', async () => {
  const fastify = fastifyHere();
  await fastify.register(fastifyPlugin, { app, prefix: '/api', authorization });
  const origin = await fastify.listen({ host: '127.0.0.1', port: 0 });
  const statuses = ['/.well-known/here', '/.well-known/other', '/api/.well-known/here'].map(
    async (path) => (await fetch(origin + path)).status,
  );
  expect(await Promise.all(statuses)).toEqual([200, 404, 404]);
  expect((await fetch(`${origin}/api/mcp`, { method: 'PUT' })).status).toBe(405);
});

test.each([{}, { ignoreTrailingSlash: true }])(
  'serves its endpoint with a slash at the end and without, with the options %j',
  async (options) => {
    const fastify = Fastify({ routerOptions: options });
    open.push(fastify);
    await fastify.register(fastifyPlugin, { app, prefix: '/api', sse: true });
    await fastify.register(fastifyPlugin, { app, path: '/' });
    const origin = await fastify.listen({ host: '127.0.0.1', port: 0 });
    const statuses = ['/api/mcp', '/api/mcp/', '/api/mcp/?a=1', '/', '/api/mcp/more', '/mcp'].map(
      async (path) => (await fetch(origin + path, { method: 'PUT' })).status,
    );
    expect(await Promise.all(statuses)).toEqual([405, 405, 405, 405, 404, 404]);
  },
);

test('refuses to be registered where its documents would not be at the root', async () => {
  const fastify = fastifyHere();
  const registered = fastify.register(
    async (scope) => {
      await scope.register(fastifyPlugin, { app, prefix: '/v1', authorization });
    },
    { prefix: '/api' },
  );
  await expect(Promise.resolve(registered).then(() => fastify.ready())).rejects.toThrow(
    "register fastifyPlugin on the root instance, with prefix: '/api/v1'",
  );
});

test('sends headers that hooks have set, and lets them refuse', async () => {
  const fastify = fastifyHere();
  fastify.addHook('onRequest', async (request, reply) => {
    reply.header('X-Seen', 'yes');
    if (request.headers['x-forbidden'] === 'yes') return reply.code(418).send('no');
  });
  await fastify.register(fastifyPlugin, { app });
  const origin = await fastify.listen({ host: '127.0.0.1', port: 0 });
  const send = (headers: Record<string, string>) => fetch(`${origin}/mcp`, { method: 'OPTIONS', headers });
  const served = await send({});
  expect([served.status, served.headers.get('x-seen')]).toEqual([204, 'yes']);
  expect((await send({ 'x-forbidden': 'yes' })).status).toBe(418);
});

test('leaves the parsers of the application alone', async () => {
  const fastify = fastifyHere();
  await fastify.register(fastifyPlugin, { app });
  fastify.post('/echo', (request) => request.body);
  const origin = await fastify.listen({ host: '127.0.0.1', port: 0 });
  const headers = { 'Content-Type': 'application/json' };
  const echoed = await fetch(`${origin}/echo`, { method: 'POST', headers, body: '{"a":1}' });
  expect(await echoed.json()).toEqual({ a: 1 });
});

test('tells authenticate of the user that a hook has found', async () => {
  const fastify = fastifyHere();
  fastify.decorateRequest('user', undefined as never);
  fastify.addHook('onRequest', async (request) => {
    (request as { user?: unknown }).user = { id: String(request.headers['x-user'] ?? '') };
  });
  await fastify.register(fastifyPlugin, {
    app,
    authenticate: ({ source }) => {
      const { user } = source as { user: { id: string } };
      return user.id === '' ? undefined : user;
    },
  });
  const origin = await fastify.listen({ host: '127.0.0.1', port: 0 });
  const statusFor = async (headers: Record<string, string>) =>
    (await fetch(`${origin}/mcp`, { method: 'PUT', headers })).status;
  expect([await statusFor({}), await statusFor({ 'x-user': 'ada' })]).toEqual([401, 405]);
});

test('closes at once where a client has opened a connection that it does not use', async () => {
  const fastify = fastifyHere();
  await fastify.register(fastifyPlugin, { app: await createApp({ name: 'closed', version: '1.0.0' }) });
  const { port } = new URL(await fastify.listen({ host: '127.0.0.1', port: 0 }));
  const unused = connect(Number(port), '127.0.0.1');
  await once(unused, 'connect');
  // Served after it, so that the server knows of both.
  await (await fetch(`http://127.0.0.1:${port}/mcp`)).text();
  const ended = once(unused, 'close');
  await fastify.close();
  await ended;
}, 10_000);
