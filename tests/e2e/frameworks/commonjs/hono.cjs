const { serve } = require('@hono/node-server');
const { Hono } = require('hono');
const { honoHandler } = require('@sigil/hono');
const { greetingsApp } = require('./greetings.cjs');

greetingsApp().then((app) => {
  const readsBodies = async (context, next) => {
    if (context.req.method === 'POST') await context.req.json();
    await next();
  };
  const hono = new Hono().use(readsBodies).route('/api/:tenant', new Hono().use(honoHandler(app)));
  serve({ fetch: hono.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
    console.log(`http://127.0.0.1:${port}/api/north/mcp`);
  });
});
