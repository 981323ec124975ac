import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { HttpOptions } from '@sigil/http';
import { createFixture, type Fixture } from '../../contract/app.js';
import { type Era, initializeParams, LEGACY, type Message, paramsFor } from '../../contract/client.js';
import { HttpClient } from '../../contract/http-client.js';
import { Calls } from '../calls.js';
import { v1, v2Auto, v2Legacy } from '../clients.js';
import type { Served } from './framework.js';
import { NEST_MODULES } from './nest-module.js';
import { NODE_FRAMEWORKS } from './node-frameworks.js';
import { WEB_FRAMEWORKS } from './web-frameworks.js';

const ERAS: readonly Era[] = ['legacy', 'modern'];
const HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: initializeParams(),
});

describe.each([...NODE_FRAMEWORKS, ...NEST_MODULES, ...WEB_FRAMEWORKS])('an app in $name', (framework) => {
  let fixture: Fixture;
  let served: Served | undefined;
  let logged: unknown[] = [];

  beforeEach(async () => {
    logged = [];
    const quiet = (): void => undefined;
    const error = (details: unknown): void => void logged.push(details);
    fixture = await createFixture({ debug: quiet, info: quiet, warn: quiet, error });
  });

  afterEach(async () => {
    await served?.drain(0);
    await served?.close();
    served = undefined;
    await fixture.app.close();
  });

  const start = async (options: HttpOptions = {}, forgetsBody = false): Promise<Served> =>
    (served = await framework.serve(fixture.app, options, forgetsBody));
  const send = ({ address, fetch = globalThis.fetch }: Served, init: RequestInit): Promise<Response> =>
    fetch(address, { method: 'POST', headers: HEADERS, body: INITIALIZE, ...init });
  const connect = ({ address, drain, fetch }: Served, era: Era): Promise<HttpClient> =>
    new HttpClient(
      era,
      address,
      drain,
      () => ({ action: 'accept', content: { name: 'Ada' } }),
      fetch,
    ).greet();
  const echo = async (client: HttpClient, text: string): Promise<unknown> =>
    textOf(await call(client, 'echo', { text }).response);

  // The official clients speak HTTP/1.1 alone.
  const official = framework.name === 'node:http2' ? test.skip : test;

  official.each([v1('2025-11-25'), v2Legacy('2025-06-18'), v2Auto])('serves $name', async (kind) => {
    const { client } = await kind.connect(await start());
    expect(await new Calls(client).text('echo', { text: 'grüß dich' })).toBe('grüß dich');
    await client.close();
  });

  test.each(ERAS)('answers calls, %s', async (era) => {
    const client = await connect(await start(), era);
    expect(await echo(client, 'grüß dich')).toBe('grüß dich');
    expect(await call(client, 'fail').response).toMatchObject({ result: { isError: true } });
  });

  test.each(ERAS)('streams what comes before an answer, at once, %s', async (era) => {
    const client = await connect(await start(), era);
    const { early, response } = call(client, 'count');
    expect(textOf(await response)).toBe('counted');
    expect(early.map(({ params }) => params?.['progress'])).toEqual([1, 2, 3, 4, 5]);
    const pending = call(client, 'hold', { early: true });
    const held = await fixture.holds.next();
    await until(() => pending.early.length === 1);
    held.release();
    expect(textOf(await pending.response)).toBe('held');
  });

  test('asks the client in the middle of a call', async () => {
    const client = await connect(await start(), 'legacy');
    expect(textOf(await call(client, 'ask').response)).toBe('Hello, Ada');
  });

  test.each([false, true])('cancels a call whose client goes away, with a stream open: %j', async (early) => {
    const client = await connect(await start(), 'modern');
    const pending = call(client, 'hold', { early });
    const held = await fixture.holds.next();
    if (early) await until(() => pending.early.length === 1);
    pending.cancel();
    await until(() => held.signal.aborted);
    expect(await echo(client, 'next')).toBe('next');
  });

  test('opens the stream of a session, and ends the session', async () => {
    const first = await start();
    const initialized = await send(first, {});
    await initialized.text();
    const session = {
      ...HEADERS,
      'Mcp-Session-Id': initialized.headers.get('mcp-session-id') ?? '',
      'MCP-Protocol-Version': LEGACY,
    };
    const gone = new AbortController();
    const stream = await send(first, { method: 'GET', headers: session, body: null, signal: gone.signal });
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    const { 'Content-Type': _none, ...bare } = session;
    const ended = await send(first, { method: 'DELETE', headers: bare, body: null });
    expect(ended.status).toBe(204);
    await stream.text();
    gone.abort();
    expect((await send(first, { headers: session })).status).toBe(404);
  });

  test('refuses who is not known and pages that may not call, in the same bytes everywhere', async () => {
    const urls: string[] = [];
    const protectedApp = await start({
      authenticate: ({ url, headers }) => {
        // What the web makes of headers must take them.
        new Headers(headers as Record<string, string>);
        urls.push(url);
        return undefined;
      },
    });
    const unknown = await send(protectedApp, {});
    expect([unknown.status, unknown.headers.get('www-authenticate'), await unknown.text()]).toEqual([
      401,
      'Bearer',
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Authentication is required"}}',
    ]);
    const foreign = await send(protectedApp, { headers: { ...HEADERS, Origin: 'https://evil.example' } });
    expect([foreign.status, await foreign.text()]).toEqual([
      403,
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,' +
        '"message":"This Origin may not call; see the option allowedOrigins"}}',
    ]);
    expect(urls).toEqual(['/api/mcp']);
  });

  test('refuses a body that is too long, and serves the next', async () => {
    const bounded = await start({ limits: { maxBodyBytes: 2_000 } });
    const long = await send(bounded, { body: callOf('echo', { text: 'x'.repeat(50_000) }) });
    expect([long.status, await long.text()]).toEqual([
      413,
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"The body is longer than 2000 bytes"}}',
    ]);
    expect(await echo(await connect(bounded, 'modern'), 'next')).toBe('next');
  });

  test('lets calls finish while it closes, and takes no more', async () => {
    const closing = await start();
    const client = await connect(closing, 'modern');
    const pending = call(client, 'hold', { early: true });
    const held = await fixture.holds.next();
    const drained = closing.drain(20_000);
    expect((await send(closing, {})).status).toBe(503);
    held.release();
    expect(textOf(await pending.response)).toBe('held');
    await drained;
  });

  const forgetting = framework.readsBodies ? test : test.skip;

  forgetting('answers and logs at once what is wrong when the body was read and not handed on', async () => {
    const forgetful = await start({}, true);
    const response = await send(forgetful, {});
    const message = expect.stringMatching(
      /^The body .* was read before .*nodeHandler\(app\)\(request, response, body\)/,
    );
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: { code: -32603, message } });
    expect(logged).toMatchObject([{ err: { message } }]);
    const deletion = await send(forgetful, { method: 'DELETE', headers: {}, body: null });
    expect(deletion.status).toBe(400);
  });
});

function call(client: HttpClient, name: string, args: object = {}): ReturnType<HttpClient['start']> {
  return client.start('tools/call', { name, arguments: args });
}

function callOf(name: string, args: object): string {
  const params = paramsFor('modern', 1, { name, arguments: args });
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
}

function textOf(message: Message | undefined): unknown {
  const content = message?.result?.['content'] as { text?: unknown }[] | undefined;
  return content?.[0]?.text;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}
