const Fastify = require('fastify');
const { fastifyPlugin } = require('@sigil/fastify');
const { greetingsApp } = require('./greetings.cjs');

greetingsApp().then(async (app) => {
  const fastify = Fastify();
  await fastify.register((api) => api.register(fastifyPlugin, { app }), { prefix: '/api' });
  console.log(`${await fastify.listen({ host: '127.0.0.1', port: 0 })}/api/mcp`);
});
