import { expect, test } from '@jest/globals';
import { createApp } from '@sigil/core';
import { honoHandler } from '@sigil/hono';
import { Hono } from 'hono';

const app = await createApp({ name: 'shop', version: '1.0.0' });
const INITIALIZE = {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', Host: 'localhost' },
  body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
};

test('leaves what is not for it to what comes after it', async () => {
  const hono = new Hono().use(honoHandler(app)).get('*', (context) => context.text('after'));
  const texts = ['/', '/mcpx', '/mcp/more'].map(async (path) => (await hono.request(path)).text());
  expect(await Promise.all(texts)).toEqual(['after', 'after', 'after']);
  expect((await hono.request('/mcp', { method: 'PUT' })).status).toBe(405);
});

test.each([
  ['/', '/mcp'],
  ['/api/', '/api/mcp'],
  ['/:tenant', '/north/mcp'],
  ['/:tenant/:version{v[0-9]+}', '/north/v12/mcp'],
  ['/*/tools', '/mcp/tools/mcp'],
])('serves behind the path %s of the applications around it', async (base, path) => {
  const hono = new Hono().route(base, new Hono().use(honoHandler(app)));
  const statusOf = async (at: string): Promise<number> => (await hono.request(at, { method: 'PUT' })).status;
  expect(await Promise.all([path, `${path}/`, `${path}/more`, `/more${path}`].map(statusOf))).toEqual([
    405, 405, 404, 404,
  ]);
});

test('says what is wrong when a body was read past Hono', async () => {
  const hono = new Hono()
    .use(async (context, next) => {
      await context.req.raw.text();
      await next();
    })
    .use(honoHandler(app));
  const response = await hono.request('/mcp', INITIALIZE);
  expect([response.status, await response.text()]).toEqual([
    500,
    expect.stringContaining('was read before the request came to the MCP handler'),
  ]);
});

test('tells authenticate of the user that middleware has found, and of its paths', async () => {
  const hono = new Hono<{ Variables: { user: { id: string } } }>().use(async (context, next) => {
    context.set('user', { id: context.req.header('x-user') ?? '' });
    await next();
  });
  const handler = honoHandler(app, {
    authenticate: ({ source }) => {
      const user = (source as { get(name: string): { id: string } }).get('user');
      return user.id === '' ? undefined : user;
    },
  });
  hono.use(handler);
  const statusFor = async (headers: Record<string, string>) =>
    (await hono.request('/mcp', { method: 'PUT', headers: { Host: 'localhost', ...headers } })).status;
  expect([await statusFor({}), await statusFor({ 'x-user': 'ada' })]).toEqual([401, 405]);
});

test.each(['mcp', '', '/mcp/', '/mcp?x', '/a b', '/:tenant/mcp'])('refuses the path %j', (path) => {
  expect(() => honoHandler(app, { path })).toThrow(/honoHandler.*path/s);
});
