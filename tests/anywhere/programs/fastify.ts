import { fastifyPlugin } from '@sigil/fastify';
import Fastify from 'fastify';
import { createStory } from './story.js';

void createStory().then(async (app) => {
  const fastify = Fastify();
  await fastify.register(fastifyPlugin, { app });
  console.log(`${await fastify.listen({ host: '127.0.0.1', port: 0 })}/mcp`);
});
