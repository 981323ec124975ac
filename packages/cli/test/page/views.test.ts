import { runInNewContext } from 'node:vm';
import { afterEach, expect, test } from '@jest/globals';
import { ServedPage } from './served-page.js';

let page: ServedPage | undefined;
afterEach(async () => {
  await page?.close();
  page = undefined;
});

const start = async (): Promise<ServedPage> =>
  (page = await ServedPage.start((_, response) => response.end()));

const add = async (page: ServedPage, view: unknown): Promise<URL> => {
  const { url } = (await page.ask('/api/views', { method: 'POST', json: view })).json();
  return new URL(String(url));
};

test('a view is served from another origin, where the page alone may frame it and nothing is loaded', async () => {
  const page = await start();
  const url = await add(page, { html: '<p>Hello</p>' });

  const { status, headers, text } = await page.ask(url.pathname, {}, url.host);

  expect(url.port).not.toBe(page.url.port);
  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(text).toMatch(/^<script>.*<\/script><p>Hello<\/p>$/);
  expect(String(headers['content-security-policy']).split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'unsafe-inline'",
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    'media-src data:',
    "connect-src 'none'",
    "frame-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors http://127.0.0.1:${page.url.port} http://localhost:${page.url.port}`,
    'sandbox allow-scripts allow-forms',
  ]);
  expect(headers['permissions-policy']).toContain('camera=(), microphone=()');
});

test('a view is told how its scripts can be allowed', async () => {
  const page = await start();
  const url = await add(page, { html: '<p>Hello</p>' });

  const { text } = await page.ask(url.pathname, {}, url.host);

  const said: unknown[] = [];
  const listeners: Record<string, (event: object) => void> = {};
  const [, script = ''] = /^<script>(.*)<\/script>/.exec(text) ?? [];
  runInNewContext(script, {
    parent: { postMessage: ({ params }: { params: unknown }) => said.push(params) },
    addEventListener: (name: string, listener: (event: object) => void) => (listeners[name] = listener),
    document: { currentScript: { remove: () => undefined } },
  });
  for (const effectiveDirective of ['script-src-elem', 'connect-src'])
    listeners['securitypolicyviolation']?.({ effectiveDirective, blockedURI: 'https://a.example' });
  expect(said).toEqual([
    {
      text: 'The policy script-src-elem of the view refuses https://a.example: see _meta.ui.csp of the resource, or build the view as one file with its scripts and styles in it',
    },
    {
      text: 'The policy connect-src of the view refuses https://a.example: see _meta.ui.csp of the resource',
    },
  ]);
});

test('a view with a doctype still begins with it', async () => {
  const page = await start();
  const url = await add(page, { html: '\n<!DOCTYPE html>\n<p>Hello</p>' });

  const { text } = await page.ask(url.pathname, {}, url.host);

  expect(text).toMatch(/^\n<!DOCTYPE html><script>.*<\/script>\n<p>Hello<\/p>$/);
});

test('a view has what it declares', async () => {
  const page = await start();
  const url = await add(page, {
    html: '<p>Hello</p>',
    csp: {
      connectDomains: ['https://api.example.com', 'wss://*.example.com:8443'],
      resourceDomains: ['https://cdn.example.com'],
      frameDomains: ['https://maps.example.com'],
      baseUriDomains: ['https://cdn.example.com'],
    },
    permissions: { camera: {} },
  });

  const { headers } = await page.ask(url.pathname, {}, url.host);

  expect(String(headers['content-security-policy']).split('; ')).toEqual(
    expect.arrayContaining([
      "script-src 'unsafe-inline' https://cdn.example.com",
      'connect-src https://api.example.com wss://*.example.com:8443',
      'frame-src https://maps.example.com',
      'base-uri https://cdn.example.com',
    ]),
  );
  expect(headers['permissions-policy']).toContain('camera=*, microphone=()');
});

test.each([
  'https://a.example; script-src *',
  'https://a.example\r\nset-cookie: a=b',
  'https://a.example, https://b.example',
  "'unsafe-eval'",
  '*',
  'data:',
  'https:',
  'https://*',
  'javascript:alert(1)',
  'https://user@a.example',
  'https://a.example/path',
  7,
])('refuses %j as a domain', async (domain) => {
  const page = await start();
  const json = { html: '<p>', csp: { connectDomains: [domain] } };

  const { status, text } = await page.ask('/api/views', { method: 'POST', json });

  expect(status).toBe(400);
  expect(text).toContain('csp.connectDomains must contain only origins');
});

test.each([
  ['no document', {}],
  ['a document that is too long', { html: 'x'.repeat(4 * 1024 * 1024 + 1) }],
  ['domains that are no list', { html: '', csp: { frameDomains: 'https://a.example' } }],
  ['a policy that is a text', { html: '', csp: 'default-src *' }],
])('refuses %s', async (_, json) => {
  const page = await start();

  expect((await page.ask('/api/views', { method: 'POST', json })).status).toBe(400);
});

test('a view is no page of its own, and the port of views serves nothing else', async () => {
  const page = await start();
  const url = await add(page, { html: '<p>Hello</p>' });
  const ask = (path: string, asked: object = {}, host = url.host): Promise<number> =>
    page.ask(path, { headers: { host }, ...asked }, url.host).then(({ status }) => status);

  expect(await ask(url.pathname, { headers: { 'sec-fetch-dest': 'document' } })).toBe(403);
  expect(await ask(url.pathname, {}, `evil.example:${url.port}`)).toBe(403);
  expect(await ask('/')).toBe(404);
  expect(await ask('/api/exchanges')).toBe(404);
  expect(await ask('/../../etc/passwd')).toBe(404);
  expect(await ask(url.pathname, { method: 'POST' })).toBe(405);
});

test('the last twenty views are kept', async () => {
  const page = await start();
  const urls: URL[] = [];
  for (let count = 0; count < 21; count += 1) urls.push(await add(page, { html: `${count}` }));

  const statuses = await Promise.all(
    urls.map(({ pathname, host }) => page.ask(pathname, {}, host).then(({ status }) => status)),
  );

  expect(statuses).toEqual([404, ...Array.from({ length: 20 }, () => 200)]);
});
