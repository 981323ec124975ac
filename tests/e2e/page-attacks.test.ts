import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { type Browser, chromium } from 'playwright-core';
import { PageProject } from './page-project.js';

// Compilers and browsers run here, and the machine may be busy.
jest.setTimeout(120_000);

const CHROMIUM = '/usr/bin/chromium';

let page: PageProject;
beforeAll(async () => {
  page = await PageProject.start();
});
afterAll(() => page.close());

// Whatever is tried, no tool of the server runs.
afterEach(() => expect(existsSync(join(page.project.folder, 'ran'))).toBe(false));

const CALL = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'run',
    arguments: {},
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'attack', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});
const CALL_HEADERS = [
  'Content-Type: application/json',
  'Accept: application/json, text/event-stream',
  'Mcp-Protocol-Version: 2026-07-28',
  'Mcp-Method: tools/call',
  'Mcp-Name: run',
  `Content-Length: ${CALL.length}`,
];

/** Every path of the page that does something, with a method it takes. */
const ROUTES = [
  ['GET', '/api/events'],
  ['GET', '/api/served'],
  ['POST', '/api/mcp'],
  ['GET', '/api/mcp'],
  ['DELETE', '/api/mcp'],
  ['GET', '/api/exchanges'],
  ['POST', '/api/why'],
  ['GET', '/api/logins'],
  ['POST', '/api/logins'],
  ['DELETE', '/api/logins/x'],
  ['POST', '/api/views'],
  ['POST', '/api/tests'],
  ['GET', '/api/none'],
] as const;

const host = (): string => `Host: ${page.url.host}`;
const token = (): string => `Authorization: Bearer ${page.token}`;
const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);

/** Sends a call of a tool on every path, with these headers. @returns the status of each. */
function onEveryRoute(...headers: readonly string[]): Promise<number[]> {
  const asked = ROUTES.map(async ([method, path]) => {
    const isPost = method === 'POST';
    const lines = [`${method} ${path} HTTP/1.1`, ...headers, ...(isPost ? CALL_HEADERS : [])];
    return statusOf(await page.send([...lines, 'Connection: close'], isPost ? CALL : ''));
  });
  return Promise.all(asked);
}

const all = (status: number): number[] => ROUTES.map(() => status);

describe('requests of others', () => {
  test('are refused without the token, and with another one', async () => {
    expect(await onEveryRoute(host())).toEqual(all(401));
    for (const given of ['guess', `${page.token}x`, page.token.slice(1), '', `${page.token}, guess`])
      expect(await onEveryRoute(host(), `Authorization: Bearer ${given}`)).toEqual(all(401));
    expect(await onEveryRoute(host(), `Authorization: Basic ${page.token}`)).toEqual(all(401));
    expect(await onEveryRoute(host(), `Cookie: token=${page.token}`)).toEqual(all(401));
    const inQuery = await page.send([`GET /api/exchanges?token=${page.token} HTTP/1.1`, host()]);
    expect(statusOf(inQuery)).toBe(401);
  });

  test('are refused where a name leads to this machine that is not its own', async () => {
    const { port } = page.url;
    for (const name of [
      'evil.example',
      `evil.example:${port}`,
      `127.0.0.1.evil.example:${port}`,
      '127.0.0.1:80',
      '',
    ])
      expect(await onEveryRoute(`Host: ${name}`, token())).toEqual(all(403));
    for (const path of ['/', '/page.js', '/callback?state=x'])
      expect(statusOf(await page.send([`GET ${path} HTTP/1.1`, `Host: evil.example:${port}`]))).toBe(403);
    expect(await onEveryRoute(host(), 'Host: evil.example', token())).toEqual(all(403));
    expect(await onEveryRoute('Host: evil.example', host(), token())).toEqual(all(403));
    expect(statusOf(await page.send(['GET /api/exchanges HTTP/1.1', token()]))).toBe(400);
    expect(statusOf(await page.send(['GET /api/exchanges HTTP/1.0', token()]))).toBe(403);
  });

  test('are refused from pages of other origins, of this machine as well', async () => {
    const port = Number(page.url.port);
    const origins = [
      'https://evil.example',
      'null',
      `http://127.0.0.1:${port + 1}`,
      `https://127.0.0.1:${port}`,
      `http://localhost:${port}`,
      `${page.origin}, https://evil.example`,
      '',
    ];
    for (const origin of origins)
      expect([origin, await onEveryRoute(host(), token(), `Origin: ${origin}`)]).toEqual([origin, all(403)]);
    for (const site of ['cross-site', 'same-site', 'none', 'other'])
      expect([site, await onEveryRoute(host(), token(), `Sec-Fetch-Site: ${site}`)]).toEqual([
        site,
        all(403),
      ]);
  });

  test('are refused as forms, which any site can send', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      '',
    ])
      for (const path of ['/api/why', '/api/logins', '/api/views', '/api/tests']) {
        const lines = [
          `POST ${path} HTTP/1.1`,
          host(),
          token(),
          `Content-Type: ${type}`,
          'Content-Length: 2',
        ];
        expect([path, type, statusOf(await page.send([...lines, 'Connection: close'], '{}'))]).toEqual([
          path,
          type,
          415,
        ]);
      }
  });

  test('get no permission by a preflight', async () => {
    const answer = await page.send([
      'OPTIONS /api/mcp HTTP/1.1',
      host(),
      'Origin: https://evil.example',
      'Access-Control-Request-Method: POST',
    ]);
    expect(statusOf(answer)).toBe(403);
    expect(answer.toLowerCase()).not.toContain('access-control-allow');
  });
});

describe('what is no plain request', () => {
  test.each([
    'GET http://evil.example/ HTTP/1.1',
    'GET http://169.254.169.254/latest/meta-data HTTP/1.1',
    'POST https://evil.example/api/mcp HTTP/1.1',
    'OPTIONS * HTTP/1.1',
  ])('%s is passed on to nobody', async (line) => {
    expect(statusOf(await page.send([line, host(), token()]))).toBe(400);
  });

  test('a tunnel is not opened', async () => {
    expect(await page.send(['CONNECT evil.example:443 HTTP/1.1', 'Host: evil.example:443'])).toBe('');
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: x'];
    const answer = await page.send(['GET /api/events HTTP/1.1', host(), ...upgrade]);
    expect(statusOf(answer)).toBe(401);
  });

  test.each([
    ['two lengths', ['Content-Length: 2', `Content-Length: ${CALL.length}`]],
    ['a length and chunks', [`Content-Length: ${CALL.length}`, 'Transfer-Encoding: chunked']],
    ['chunks that are none', ['Transfer-Encoding: xchunked']],
    ['chunks twice', ['Transfer-Encoding: chunked, identity']],
    ['a header in two lines', ['X-A: 1', ' folded: 2', 'Content-Length : 2']],
    ['a space in a name', ['Content Length: 2']],
  ])('a request with %s is refused, and hides no other', async (_, headers) => {
    const hidden = ['POST /api/mcp HTTP/1.1', host(), token(), ...CALL_HEADERS].join('\r\n');
    const answer = await page.send(
      ['POST /api/why HTTP/1.1', host(), token(), 'Content-Type: application/json', ...headers],
      `0\r\n\r\n${hidden}\r\n\r\n${CALL}`,
    );
    expect(statusOf(answer)).toBe(400);
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });

  test('a line in a header does not become one at the server', async () => {
    const answer = await page.send([
      'GET /api/mcp HTTP/1.1',
      host(),
      token(),
      'Mcp-Session-Id: a\rX-Evil: 1',
    ]);
    expect(statusOf(answer)).toBe(400);
  });

  test.each([
    '/../package.json',
    '/../../../../../../../../etc/passwd',
    '/page.js/../../package.json',
    '/%2e%2e/%2e%2e/package.json',
    '/..%2f..%2fpackage.json',
    '/..\\..\\package.json',
    '//etc/passwd',
    '/page.js%00.html',
    '/index.html',
    '/__proto__',
    '/constructor',
    '/api/__proto__',
  ])('%s is no file of the page', async (path) => {
    const answer = await page.send([`GET ${path} HTTP/1.1`, host(), token(), 'Connection: close']);
    expect(statusOf(answer)).toBe(404);
    expect(answer).not.toMatch(/root:|"name"/);
  });
});

describe('what takes much', () => {
  test('a huge body is refused before it has come', async () => {
    for (const path of ['/api/mcp', '/api/why', '/api/logins', '/api/views', '/api/tests']) {
      const lines = [`POST ${path} HTTP/1.1`, host(), token(), 'Content-Type: application/json'];
      expect(statusOf(await page.send([...lines, 'Content-Length: 999999999999'], 'x'))).toBe(413);
    }
    const chunked = ['POST /api/why HTTP/1.1', host(), token(), 'Content-Type: application/json'];
    const part = 'x'.repeat(1024 * 1024);
    const body = `${part.length.toString(16)}\r\n${part}\r\n`;
    expect(statusOf(await page.send([...chunked, 'Transfer-Encoding: chunked'], body))).toBe(413);
  });

  test('a deep body is refused, and the page goes on', async () => {
    const deep = '['.repeat(3_000_000) + ']'.repeat(3_000_000);
    const json = `{"tool":"none","result":{"content":[],"structuredContent":{"a":${deep}}}}`;
    const headers = { authorization: `Bearer ${page.token}`, 'content-type': 'application/json' };
    const { status } = await fetch(new URL('/api/tests', page.url), { method: 'POST', headers, body: json });
    expect(status).toBe(400);
    expect((await page.ask('/api/exchanges')).status).toBe(200);
  });

  test('slow headers and slow bodies are not waited for', async () => {
    const slow = async (lines: readonly string[]): Promise<number> => {
      const since = performance.now();
      await page.send(lines, '{', 60_000);
      return performance.now() - since;
    };
    const headers = connect(Number(page.url.port), '127.0.0.1').on('error', () => undefined);
    headers.write(`GET / HTTP/1.1\r\n${host()}\r\nX-A: `);
    const since = performance.now();
    const closed = once(headers.resume(), 'close').then(() => performance.now() - since);
    const body = ['Content-Type: application/json', 'Content-Length: 100'];
    const [first, second] = await Promise.all([
      closed,
      slow(['POST /api/why HTTP/1.1', host(), token(), ...body]),
    ]);
    expect(first).toBeLessThan(15_000);
    expect(second).toBeLessThan(35_000);
  });

  test('however many connections there are, the page answers once they are gone', async () => {
    const sockets: Socket[] = [];
    for (let count = 0; count < 400; count += 1)
      sockets.push(connect(Number(page.url.port), '127.0.0.1').on('error', () => undefined));
    await delay(500);
    for (const socket of sockets) socket.destroy();
    await delay(500);
    expect((await page.ask('/api/exchanges')).status).toBe(200);
  });
});

describe('what the page sends', () => {
  test('a browser that comes back from elsewhere ends nothing, and what it brings is not shown', async () => {
    const markup = '<script>alert(1)</script>';
    const query = `state=guess&code=x&error=${encodeURIComponent(markup)}&error_description=${encodeURIComponent(markup)}`;
    const answer = await fetch(new URL(`/callback?${query}`, page.url));
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('content-security-policy')).toContain('sandbox');
    expect(await answer.text()).not.toContain('<');
  });

  test('texts of a question and of scopes are no headers and no variables', async () => {
    expect((await page.ask('/api/why', { name: 'run\0SIGIL_INSPECT=manifest' })).status).toBe(400);
    expect((await page.ask('/api/logins', { scopes: ['a\r\nHost: evil.example'] })).status).toBe(400);
    const why = await page.ask('/api/why', {
      name: 'run\r\nX-Evil: 1',
      principal: { id: '$(touch ran)`touch ran`' },
    });
    expect(await why.json()).toMatchObject({ name: 'run\r\nX-Evil: 1' });
  });

  test('a saved test is written into the folder of tests alone, and what is in it stays text', async () => {
    const before = readdirSync(page.project.folder).sort();
    const evil = `'); (await import('node:fs')).writeFileSync('ran', ''); ('`;
    const saved = await page.ask('/api/tests', {
      tool: '../../../evil/x.ts\0',
      file: '../../evil.test.ts',
      title: `${evil}\u2028\n\${1}`,
      arguments: { [evil]: evil, ['__proto__']: { isAdmin: true } },
      result: {
        content: [
          { type: 'text', text: evil },
          { type: 'text', text: '*/ // \\' },
        ],
      },
      write: true,
    });
    expect(saved.status).toBe(201);
    const { file } = (await saved.json()) as { file: string };
    expect(file).toBe('test/evil-x-ts.test.ts');
    expect(readdirSync(page.project.folder).sort()).toEqual([...before, 'test'].sort());
    const text = readFileSync(join(page.project.folder, file), 'utf8');
    expect(text).toContain(`"'); (await import('node:fs')).writeFileSync('ran', ''); ('\\u2028\\n\${1}"`);
    expect(text).toContain(`{ type: 'text', text: "'); (await import`);
    expect(text).toContain(`['__proto__']: { isAdmin: true }`);

    const again = await page.ask('/api/tests', { tool: 'evil/x.ts', result: { content: [] }, write: true });
    expect(await again.json()).toMatchObject({ file: 'test/evil-x-ts-2.test.ts' });
    expect(readFileSync(join(page.project.folder, file), 'utf8')).toBe(text);
  });
});

/** Shows a view as the page does. It is text, as there are no types of browsers here. */
const SHOW = `async (src) => {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts allow-forms');
  const told = new Promise((resolve) => {
    addEventListener('message', ({ source, data }) => {
      // What is refused is reported as well.
      if (source === frame.contentWindow && data.method !== 'sigil/view-error') resolve(data);
    });
    setTimeout(() => resolve('nothing is told'), 15_000);
  });
  frame.src = src;
  document.body.append(frame);
  const data = await told;
  // What it does after that.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  return { data, location: location.href.split('#')[0] };
}`;

/** What a page of another site may try. */
const REACH = `async ({ origin, call }) => {
  const wait = () => new Promise((resolve) => setTimeout(resolve, 1_000));
  const attempt = (work) => work().then((value) => value, () => 'refused');
  const post = (type, mode) => attempt(async () => {
    const headers = { 'content-type': type };
    return (await fetch(origin + '/api/mcp', { method: 'POST', mode, headers, body: call })).type;
  });
  const script = () => new Promise((resolve, reject) => {
    const element = document.createElement('script');
    document.body.append(Object.assign(element, { onload: resolve, onerror: reject, src: origin + '/page.js' }));
  });
  const [frame, target, form] = ['iframe', 'iframe', 'form'].map((name) => document.createElement(name));
  document.body.append(Object.assign(frame, { src: origin + '/' }));
  const opened = open(origin + '/');
  await wait();
  Object.assign(form, { method: 'post', action: origin + '/api/mcp', enctype: 'text/plain', target: 'x' });
  document.body.append(Object.assign(target, { name: 'x' }), form);
  form.submit();
  await wait();
  return {
    read: await attempt(async () => (await fetch(origin + '/')).text()),
    plain: await post('text/plain', 'no-cors'),
    json: await post('application/json', 'cors'),
    script: await attempt(script),
    opened: opened === null || opened.closed ? 'not reached' : 'reached',
  };
}`;

const inBrowser = existsSync(CHROMIUM) ? describe : describe.skip;

inBrowser('in a browser', () => {
  let browser: Browser;
  let elsewhere: Server;
  /** What has reached a server that is not the page's. */
  const reached: string[] = [];
  const other = (name = '127.0.0.1'): string => `http://${name}:${(elsewhere.address() as AddressInfo).port}`;
  beforeAll(async () => {
    const isRoot = process.getuid?.() === 0;
    browser = await chromium.launch({ executablePath: CHROMIUM, args: isRoot ? ['--no-sandbox'] : [] });
    elsewhere = createServer((request, response) => {
      reached.push(request.url ?? '');
      response.writeHead(200, { 'content-type': 'text/html', 'access-control-allow-origin': '*' });
      response.end('<!doctype html><title>Elsewhere</title>');
    }).listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
  });
  afterAll(async () => {
    await browser.close();
    elsewhere.close();
    elsewhere.closeAllConnections();
  });

  /** Shows a view as the page does, and collects what it tells. */
  async function show(html: string, more: object = {}): Promise<unknown> {
    const tab = await browser.newPage();
    try {
      await tab.goto(page.url.href);
      const { url } = (await (await page.ask('/api/views', { html, ...more })).json()) as { url: string };
      return await tab.evaluate(`(${SHOW})(${JSON.stringify(url)})`);
    } finally {
      await tab.close();
    }
  }

  test('a view reaches neither the page, its token, its server nor the network', async () => {
    reached.length = 0;
    const { origin } = page;
    const mcp = `http://127.0.0.1:${page.project.port}/mcp`;
    const html = `<!doctype html><title>View</title><body><script type="module">
const call = ${JSON.stringify(CALL)};
const tries = {
  fetchApi: () => fetch('${origin}/api/exchanges', { credentials: 'include' }),
  fetchPage: () => fetch('${origin}/', { mode: 'no-cors' }),
  callTool: () => fetch('${origin}/api/mcp', { method: 'POST', mode: 'no-cors', body: call }),
  callServer: () => fetch('${mcp}', { method: 'POST', mode: 'no-cors', body: call }),
  fetchNetwork: () => fetch('${other()}/fetch'),
  parentDocument: () => parent.document.title,
  parentLocation: () => parent.location.href,
  parentToken: () => parent.sessionStorage.length,
  ownStorage: () => localStorage.length,
  cookie: () => document.cookie,
  topNavigation: () => { top.location.href = '${other()}/top'; },
  popup: () => { if (!open('${other()}/popup')) throw new Error('blocked'); },
  evaluate: () => eval('1'),
  image: () => new Promise((resolve, reject) => Object.assign(new Image(), { onload: resolve, onerror: () => reject(new Error('blocked')), src: '${other()}/image' })),
  script: () => new Promise((resolve, reject) => document.body.append(Object.assign(document.createElement('script'), { onload: resolve, onerror: () => reject(new Error('blocked')), src: '${origin}/page.js' }))),
  module: () => import('${other()}/module.js'),
  socket: () => new Promise((resolve, reject) => Object.assign(new WebSocket('${other().replace('http', 'ws')}/socket'), { onopen: resolve, onerror: () => reject(new Error('blocked')) })),
  frame: () => new Promise((resolve, reject) => { const frame = document.createElement('iframe'); frame.src = '${other()}/frame'; document.body.append(frame); setTimeout(() => reject(new Error('blocked')), 500); }),
};
const told = {};
for (const [name, attempt] of Object.entries(tries))
  try { await attempt(); told[name] = 'done'; } catch { told[name] = 'refused'; }
navigator.sendBeacon('${other()}/beacon', 'x');
for (const rel of ['prefetch', 'preload', 'stylesheet', 'icon', 'modulepreload'])
  document.head.append(Object.assign(document.createElement('link'), { rel, as: 'script', href: '${other()}/' + rel }));
document.body.insertAdjacentHTML('beforeend', '<form method="post" action="${other()}/form"></form><object data="${other()}/object"></object><video src="${other()}/video"></video>');
document.forms[0].submit();
parent.postMessage(told, '*');
setTimeout(() => { location.href = '${other()}/navigation?' + told; }, 100);
</script>`;

    const shown = (await show(html)) as { data: Record<string, string>; location: string };

    expect(Object.entries(shown.data).filter(([, what]) => what !== 'refused')).toEqual([]);
    expect(Object.keys(shown.data)).toHaveLength(18);
    expect(shown.location).toBe(`${origin}/`);
    expect(reached).toEqual([]);
  });

  test('a domain that brings a directive along is refused, and a domain gives access to itself alone', async () => {
    reached.length = 0;
    const injected = await page.ask('/api/views', {
      html: '',
      csp: { resourceDomains: [`${other()}; connect-src *`] },
    });
    expect(injected.status).toBe(400);
    const html = `<script type="module">
const to = async (url) => { try { await fetch(url); return 'done'; } catch { return 'refused'; } };
parent.postMessage([await to('${other()}/allowed'), await to('${other('localhost')}/other'), await to('${page.origin}/api/exchanges')], '*');
</script>`;

    const csp = { connectDomains: [other(), page.origin] };
    const shown = (await show(html, { csp })) as { data: unknown };

    expect(shown.data).toEqual(['done', 'refused', 'refused']);
    expect(reached).toEqual(['/allowed']);
  });

  test('a site can neither frame the page, nor call it, nor read it', async () => {
    const tab = await browser.newPage();
    // Another site: `localhost` and an address are not the same.
    await tab.goto(other('localhost'));
    const told = await tab.evaluate(`(${REACH})(${JSON.stringify({ origin: page.origin, call: CALL })})`);
    const framed = tab.frames().map((frame) => frame.url());
    await tab.context().close();

    expect(told).toMatchObject({
      read: 'refused',
      json: 'refused',
      script: 'refused',
      opened: 'not reached',
    });
    expect(framed).not.toContain(`${page.origin}/`);
  });
});
