import { serve } from '@hono/node-server';
import { honoHandler } from '@sigil/hono';
import { Hono } from 'hono';
import { createStory } from './story.js';

void createStory().then((app) => {
  const hono = new Hono().use(honoHandler(app));
  serve({ fetch: hono.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
    console.log(`http://127.0.0.1:${port}/mcp`);
  });
});
