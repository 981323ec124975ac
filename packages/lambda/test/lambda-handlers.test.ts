import { describe, expect, test } from '@jest/globals';
import { createApp, defineTool } from '@sigil/core';
import { lambdaHandler, lambdaStreamHandler } from '@sigil/lambda';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';

const seen: Record<string, unknown>[] = [];
const handler = lambdaHandler(() => createApp({ name: 'shop', version: '1.0.0' }), {
  path: '/prod/mcp',
  allowedHosts: ['shop.example'],
  authenticate: ({ headers, url }) => {
    seen.push({ cookie: headers['cookie'], url });
    return { id: 'ada' };
  },
});

const context = { getRemainingTimeInMillis: () => 30_000 } as Context;
const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1.0.0' },
  },
});

function eventOf(more: Partial<APIGatewayProxyEventV2> = {}): APIGatewayProxyEventV2 {
  const event = {
    rawPath: '/prod/mcp',
    rawQueryString: 'a=1&b=%20',
    headers: { host: 'shop.example', 'content-type': 'application/json' },
    requestContext: { http: { method: 'POST' } },
    body: INITIALIZE,
    isBase64Encoded: false,
    ...more,
  };
  return event as APIGatewayProxyEventV2;
}

test('gives the app path, query and cookies of an event, and Lambda what it answers', async () => {
  const answer = await handler(eventOf({ cookies: ['a=1', 'b=2'] }), context);
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/json']);
  expect(answer.headers['mcp-session-id']).toBeDefined();
  expect(JSON.parse(answer.body)).toMatchObject({ result: { serverInfo: { name: 'shop' } } });
  expect(seen.pop()).toEqual({ cookie: 'a=1; b=2', url: '/prod/mcp?a=1&b=%20' });
});

test('reads bodies that come in Base64', async () => {
  const body = Buffer.from(INITIALIZE).toString('base64');
  expect((await handler(eventOf({ body, isBase64Encoded: true }), context)).statusCode).toBe(200);
});

test('refuses other hosts, and says where the endpoint is', async () => {
  const headers = { host: 'evil.example', 'content-type': 'application/json' };
  expect((await handler(eventOf({ headers }), context)).statusCode).toBe(403);
  const elsewhere = await handler(eventOf({ rawPath: '/' }), context);
  expect([elsewhere.statusCode, elsewhere.body]).toEqual([
    404,
    expect.stringContaining('the MCP endpoint is /prod/mcp'),
  ]);
});

test('says which events it takes', async () => {
  const rest = { httpMethod: 'POST', path: '/mcp', headers: {}, requestContext: {} };
  await expect(handler(rest as unknown as APIGatewayProxyEventV2, context)).rejects.toThrow(
    'This is not an HTTP event of payload format 2.0: use a Function URL, or an HTTP API',
  );
});

test('refuses options that are wrong when the function is loaded', () => {
  const make = () => createApp({ name: 'shop', version: '1.0.0' });
  const misspelt = { allowedHost: ['shop.example'] } as object;
  expect(() => lambdaHandler(make, misspelt)).toThrow(/lambdaHandler.*allowedHost/s);
  expect(() => lambdaHandler(make, { path: 'mcp' })).toThrow(/lambdaHandler.*path/s);
  expect(() => lambdaHandler(make, { limits: { maxBodyBytes: -1 } })).toThrow(/lambdaHandler.*maxBodyBytes/s);
});

test('gives its answer once the audit of the call is written', async () => {
  const kept: string[] = [];
  const audited = lambdaHandler(
    () =>
      createApp({
        name: 'shop',
        version: '1.0.0',
        audit: {
          sink: async ({ event }) => {
            await new Promise((resolve) => setTimeout(resolve, 50));
            kept.push(event);
          },
        },
      }),
    { path: '/prod/mcp', allowedHosts: ['shop.example'] },
  );
  const headers = { host: 'evil.example', 'content-type': 'application/json' };
  expect((await audited(eventOf({ headers }), context)).statusCode).toBe(403);
  expect((await audited(eventOf(), context)).statusCode).toBe(200);
  expect(kept).toEqual(['request.refused']);
});

test('streams where Lambda is around it alone', () => {
  expect(() => lambdaStreamHandler(() => createApp({ name: 'shop', version: '1.0.0' }))).toThrow(
    'Only the runtime of AWS Lambda can stream responses: elsewhere, use lambdaHandler',
  );
});

describe('a call that is not done when the time of the function is', () => {
  const slow = lambdaHandler(
    () =>
      createApp({
        name: 'slow',
        version: '1.0.0',
        definitions: [
          defineTool({
            name: 'wait',
            description: 'Waits',
            handle: async (_args, ctx) => {
              ctx.progress(1);
              await new Promise((resolve) => setTimeout(resolve, 1_500));
              return 'done';
            },
          }),
        ],
      }),
    { allowedHosts: ['shop.example'] },
  );
  const short = { getRemainingTimeInMillis: () => 1_100 } as Context;
  const headers = {
    host: 'shop.example',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const answered = { jsonrpc: '2.0', id: 7, error: { message: 'The time of this function is over' } };
  const callOf = (meta: object): string =>
    JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'wait', _meta: meta } });

  test.each([
    ['without progress', {}, false],
    ['with progress', { progressToken: 1 }, true],
  ])('is answered in a session, %s', async (_, meta, isStream) => {
    const rawPath = '/mcp';
    const first = await slow(eventOf({ rawPath, headers }), context);
    const session = { ...headers, 'mcp-session-id': first.headers['mcp-session-id'] ?? '' };
    const { statusCode, body } = await slow(
      eventOf({ rawPath, headers: session, body: callOf(meta) }),
      short,
    );
    expect(statusCode).toBe(200);
    const said = isStream ? /data: (.*)\n\n$/.exec(body)?.[1] : body;
    expect(JSON.parse(said ?? '')).toMatchObject(answered);
  });

  test('is answered where it is cancelled', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const modern = {
      ...headers,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'wait',
    };
    const answer = await slow(eventOf({ rawPath: '/mcp', headers: modern, body: callOf(meta) }), short);
    expect(answer.statusCode).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject(answered);
  });
});

test('refuses a question to a session at once, because it could not be answered', async () => {
  const asking = lambdaHandler(
    () =>
      createApp({
        name: 'asking',
        version: '1.0.0',
        definitions: [
          defineTool({ name: 'ask', handle: (_args, ctx) => ctx.roots() }),
          defineTool({ name: 'ping', handle: (_args, ctx) => ctx.ping() }),
        ],
      }),
    { allowedHosts: ['shop.example'] },
  );
  const rawPath = '/mcp';
  const headers = { host: 'shop.example', 'content-type': 'application/json' };
  const opening = INITIALIZE.replace('"capabilities":{}', '"capabilities":{"roots":{}}');
  const first = await asking(eventOf({ rawPath, headers, body: opening }), context);
  const session = { ...headers, 'mcp-session-id': first.headers['mcp-session-id'] ?? '' };
  for (const name of ['ask', 'ping']) {
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name, arguments: {} } };
    const event = eventOf({ rawPath, headers: session, body: JSON.stringify(call) });
    const { statusCode, body } = await asking(event, context);
    expect(statusCode).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      result: {
        isError: true,
        content: [{ text: expect.stringContaining('The server cannot send requests to this client') }],
      },
    });
  }
});
