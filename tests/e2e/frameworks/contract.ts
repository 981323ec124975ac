import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type Era,
  initializeParams,
  LEGACY,
  type Message,
  MODERN,
  paramsFor,
} from '../../contract/client.js';
import { HttpClient } from '../../contract/http-client.js';
import { Calls } from '../calls.js';
import { v1, v2Auto, v2Legacy } from '../clients.js';
import { freshFetch } from '../fresh-fetch.js';
import { until } from '../processes.js';
import { BOUNDED, FORGETFUL, METADATA, OPEN, PROTECTED, RESOURCE } from './contract-app.js';
import type { Feature, Framework, Served } from './framework.js';

const ERAS: readonly Era[] = ['legacy', 'modern'];
const HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: initializeParams(),
});

/** What holds wherever an app is served. It looks at nothing but what crosses the wire. */
export function contractOf(framework: Framework): void {
  describe(`an app in ${framework.name}`, () => {
    let served: Served;
    let isClosed = false;

    beforeAll(async () => {
      served = await framework.serve();
    }, 120_000);

    afterAll(async () => {
      if (!isClosed) await served.close();
    });

    const { lacks = {} } = framework;
    const unless = (feature: Feature) => (lacks[feature] === undefined ? test : test.skip);
    const because = (feature: Feature): string =>
      lacks[feature] === undefined ? '' : ` (${lacks[feature]})`;
    const send = (path: string, init: RequestInit = {}): Promise<Response> =>
      (served.fetch ?? globalThis.fetch)(served.origin + path, {
        method: 'POST',
        headers: HEADERS,
        body: INITIALIZE,
        ...init,
      });
    const connect = (era: Era, path = OPEN): Promise<HttpClient> =>
      new HttpClient(
        era,
        served.origin + path,
        () => Promise.resolve(),
        () => ({ action: 'accept', content: { name: 'Ada' } }),
        served.fetch,
      ).greet();

    unless('official clients').each([v1('2025-11-25'), v2Legacy('2025-06-18'), v2Auto])(
      `serves $name${because('official clients')}`,
      async (kind) => {
        const { client } = await kind.connect({ address: served.origin + OPEN });
        expect(await new Calls(client).text('hello')).toBe('Hello');
        await client.close();
      },
    );

    test.each(ERAS)('answers calls, %s', async (era) => {
      const client = await connect(era);
      expect(textOf(await call(client, 'hello').response)).toBe('Hello');
      expect(await call(client, 'fail').response).toMatchObject({ result: { isError: true } });
    });

    test.each(ERAS)('checks arguments and hands them on, %s', async (era) => {
      const client = await connect(era);
      expect(textOf(await call(client, 'echo', { text: 'grüß dich' }).response)).toBe('grüß dich');
      const refused = await call(client, 'echo', { text: 7 }).response;
      expect(refused?.result).toMatchObject({ isError: true });
      expect(textOf(refused)).toMatch(/text/);
    });

    unless('a final slash')(
      `serves its endpoint with a slash at the end too${because('a final slash')}`,
      async () => {
        const headers = modernHeaders('hello');
        const answer = await send(`${OPEN}/`, { headers, body: callOf('hello') });
        expect(textOf((await answer.json()) as Message)).toBe('Hello');
        const other = await send(`${OPEN}/more`, { headers, body: callOf('hello') });
        expect(other.status).toBe(404);
        await other.text();
      },
    );

    unless('streams').each(ERAS)(
      `streams what comes before an answer, %s${because('streams')}`,
      async (era) => {
        const { early, response } = call(await connect(era), 'count');
        expect(textOf(await response)).toBe('counted');
        expect(early.map(({ params }) => params?.['progress'])).toEqual([1, 2, 3, 4, 5]);
      },
    );

    unless('streams at once').each(ERAS)(
      `streams without waiting for the answer, %s${because('streams at once')}`,
      async (era) => {
        const pending = call(await connect(era), 'take_long');
        let isAnswered = false;
        void pending.response.then(() => (isAnswered = true));
        await until(() => pending.early.length === 1);
        expect(isAnswered).toBe(false);
        expect(textOf(await pending.response)).toBe('done');
      },
    );

    test('asks the client in a round trip, modern', async () => {
      const client = await connect('modern');
      const asked = await call(client, 'ask').response;
      expect(asked?.result).toMatchObject({ resultType: 'input_required' });
      const { inputRequests, requestState } = asked?.result as {
        inputRequests: Record<string, unknown>;
        requestState: string;
      };
      const answer = { action: 'accept', content: { name: 'Ada' } };
      const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, answer]));
      const again = client.start('tools/call', { name: 'ask', arguments: {}, inputResponses, requestState });
      expect(textOf(await again.response)).toBe('Hello, Ada');
    });

    unless('questions')(
      `asks the client in the middle of a call, legacy${because('questions')}`,
      async () => {
        expect(textOf(await call(await connect('legacy'), 'ask').response)).toBe('Hello, Ada');
      },
    );

    const cancels = async (tool: string): Promise<void> => {
      const client = await connect('modern');
      const held = async (): Promise<unknown> => textOf(await call(client, 'held').response);
      const pending = call(client, tool);
      await until(async () => (await held()) === 'held');
      if (tool === 'hold_early') await until(() => pending.early.length === 1);
      pending.cancel();
      await until(async () => (await held()) === 'cancelled');
    };

    unless('cancelling before a stream')(
      `cancels a call whose client goes away before anything is sent${because('cancelling before a stream')}`,
      () => cancels('hold'),
    );

    unless('cancelling')(`cancels a call whose client leaves its stream${because('cancelling')}`, () =>
      cancels('hold_early'),
    );

    const open = async (): Promise<Record<string, string>> => {
      const initialized = await send(OPEN);
      await initialized.text();
      const id = initialized.headers.get('mcp-session-id') ?? '';
      return { ...HEADERS, 'Mcp-Session-Id': id, 'MCP-Protocol-Version': LEGACY };
    };

    unless('listening')(`opens the stream of a session${because('listening')}`, async () => {
      const headers = await open();
      const gone = new AbortController();
      const stream = await send(OPEN, { method: 'GET', headers, body: null, signal: gone.signal });
      expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
      gone.abort();
    });

    test('ends a session', async () => {
      const headers = await open();
      const { 'Content-Type': _none, ...bare } = headers;
      const ended = await send(OPEN, { method: 'DELETE', headers: bare, body: null });
      expect(ended.status).toBe(204);
      const unknown = await send(OPEN, { headers });
      expect(unknown.status).toBe(404);
      await unknown.text();
    });

    test('refuses who is not known, and tells where to get a token', async () => {
      const unknown = await send(PROTECTED);
      expect([unknown.status, unknown.headers.get('www-authenticate'), await unknown.text()]).toEqual([
        401,
        `Bearer resource_metadata="https://mcp.example.com${METADATA}"`,
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"This server needs an access token"}}',
      ]);
      const metadata = await send(METADATA, { method: 'GET', headers: {}, body: null });
      expect([metadata.status, metadata.headers.get('content-type')]).toEqual([200, 'application/json']);
      expect(await metadata.json()).toMatchObject({
        resource: RESOURCE,
        authorization_servers: ['https://id.example.com'],
      });
    });

    test('serves who is known', async () => {
      const answer = await send(PROTECTED, {
        headers: { ...modernHeaders('hello'), Authorization: 'Bearer of-ada' },
        body: callOf('hello'),
      });
      expect(textOf((await answer.json()) as Message)).toBe('Hello');
    });

    test('refuses pages that may not call', async () => {
      const foreign = await send(OPEN, { headers: { ...HEADERS, Origin: 'https://evil.example' } });
      expect([foreign.status, await foreign.text()]).toEqual([
        403,
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,' +
          '"message":"Pages of this Origin are not allowed to call this server; see the option allowedOrigins"}}',
      ]);
    });

    test('lets pages of this machine ask what they may send', async () => {
      const headers = {
        Origin: 'http://localhost:6274',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'mcp-method',
      };
      const asked = await send(OPEN, { method: 'OPTIONS', headers, body: null });
      expect(asked.status).toBe(204);
      expect(asked.headers.get('access-control-allow-origin')).toBe('http://localhost:6274');
      expect(asked.headers.get('access-control-allow-headers')).toBe('mcp-method');
    });

    test('refuses a body that is too long, and one that is no JSON, and serves the next', async () => {
      const long = await send(BOUNDED, { body: callOf('echo', { text: 'x'.repeat(50_000) }) });
      expect([long.status, await long.text()]).toEqual([
        413,
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"The body is longer than 2000 bytes"}}',
      ]);
      const client = await connect('modern', BOUNDED);
      expect(textOf(await call(client, 'hello').response)).toBe('Hello');
    });

    if (framework.readsBodies === true)
      test('answers and logs at once what is wrong when the body was read and not handed on', async () => {
        const response = await send(FORGETFUL);
        const message = expect.stringMatching(
          /^The body was read before .*nodeHandler\(app\)\(request, response, body\)/,
        );
        expect(response.status).toBe(500);
        expect(await response.json()).toMatchObject({ error: { code: -32603, message } });
        expect(framework.errors).toMatchObject([{ err: { message } }]);
        const deletion = await send(FORGETFUL, { method: 'DELETE', headers: {}, body: null });
        expect(deletion.status).toBe(400);
        await deletion.text();
      });

    unless('closing')(
      `lets calls finish while it closes, and takes no more${because('closing')}`,
      async () => {
        const client = await connect('modern');
        const pending = call(client, 'take_long');
        await until(() => pending.early.length === 1);
        isClosed = true;
        const closed = served.close();
        // A process hears of it a moment later, and connections that are at work then may be served on: each request has its own.
        const ask = served.fetch ?? freshFetch;
        const request = { method: 'POST', headers: modernHeaders('hello'), body: callOf('hello') };
        const refusal = async (): Promise<boolean> =>
          ask(served.origin + OPEN, request).then(
            ({ status }) => status === 503,
            () => true,
          );
        await until(refusal);
        expect(textOf(await pending.response)).toBe('done');
        await closed;
      },
    );
  });
}

function modernHeaders(name: string): Record<string, string> {
  return { ...HEADERS, 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/call', 'Mcp-Name': name };
}

function call(client: HttpClient, name: string, args: object = {}): ReturnType<HttpClient['start']> {
  return client.start('tools/call', { name, arguments: args });
}

function callOf(name: string, args: object = {}): string {
  const params = paramsFor('modern', 1, { name, arguments: args });
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
}

function textOf(message: Message | undefined): unknown {
  const content = message?.result?.['content'] as { text?: unknown }[] | undefined;
  return content?.[0]?.text;
}
