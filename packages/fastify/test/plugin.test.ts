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
  const statuses = ['/.well-known/here', '/.well-known/other', '/api/.well-known/here'].map(
    async (url) => (await fastify.inject({ url })).statusCode,
  );
  expect(await Promise.all(statuses)).toEqual([200, 404, 404]);
  const refused = await fastify.inject({ url: '/api/mcp', method: 'PUT', headers: { host: 'localhost' } });
  expect(refused.statusCode).toBe(405);
});

test('refuses to be registered where its documents would not be at the root', async () => {
  const fastify = fastifyHere();
  const registered = fastify.register(
    async (scope) => {
      await scope.register(fastifyPlugin, { app, prefix: '/v1', authorization });
    },
    { prefix: '/api' },
  );
  await expect(Promise.resolve(registered).then(() => fastify.ready())).rejects.toThrow(
    "register fastifyPlugin there, with prefix: '/api/v1'",
  );
});

test('sends headers that hooks have set, and lets them refuse', async () => {
  const fastify = fastifyHere();
  fastify.addHook('onRequest', async (request, reply) => {
    reply.header('X-Seen', 'yes');
    if (request.headers['x-forbidden'] === 'yes') return reply.code(418).send('no');
  });
  await fastify.register(fastifyPlugin, { app });
  const send = (headers: Record<string, string>) =>
    fastify.inject({ url: '/mcp', method: 'OPTIONS', headers: { host: 'localhost', ...headers } });
  const served = await send({});
  expect([served.statusCode, served.headers['x-seen']]).toEqual([204, 'yes']);
  expect((await send({ 'x-forbidden': 'yes' })).statusCode).toBe(418);
});

test('leaves the parsers of the application alone', async () => {
  const fastify = fastifyHere();
  await fastify.register(fastifyPlugin, { app });
  fastify.post('/echo', (request) => request.body);
  expect((await fastify.inject({ url: '/echo', method: 'POST', payload: { a: 1 } })).json()).toEqual({
    a: 1,
  });
});
