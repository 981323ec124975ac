import { type ClientHttp2Session, type ClientHttp2Stream, connect, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { defineTool } from '@sigil/core';
import { type HttpOptions, nodeHandler } from '../src/index.js';
import { createFixture, type Fixture } from './fixtures/app.js';
import { type Line, recordingLogger } from './fixtures/log.js';
import { envelope, headersOf, MODERN, request } from './fixtures/messages.js';
import { initialize } from './fixtures/session.js';
import { within } from './fixtures/within.js';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Answer {
  readonly status: number | undefined;
  readonly headers: Record<string, unknown>;
  readonly text: string;
}

interface Connected {
  readonly client: ClientHttp2Session;
  readonly fixture: Fixture;
  readonly lines: readonly Line[];
  /** @param sent headers, pseudo-headers among them. */
  open(sent?: Record<string, string>): ClientHttp2Stream;
  post(body: string, sent?: Record<string, string>): Promise<Answer>;
}

async function start(options: HttpOptions = {}): Promise<Connected> {
  const { logger, lines } = recordingLogger();
  const fixture = await createFixture({ logger });
  const handler = nodeHandler(fixture.app, options);
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  closing.push(async () => {
    client.destroy();
    await handler.close(0);
    await new Promise((resolve) => server.close(resolve));
    await fixture.app.close();
  });
  const open = (sent: Record<string, string> = {}): ClientHttp2Stream =>
    client.request({ ':method': 'POST', ':path': '/mcp', ...headersOf(), ...sent });
  return { client, fixture, lines, open, post: (body, sent) => answerOf(open(sent).end(body)) };
}

async function answerOf(stream: ClientHttp2Stream): Promise<Answer> {
  let head: Record<string, unknown> = {};
  stream.on('response', (headers) => (head = headers));
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  await new Promise((resolve, reject) => stream.on('end', resolve).on('error', reject));
  const { ':status': status, ...headers } = head;
  return { status: status as number | undefined, headers, text };
}

const INITIALIZE = JSON.stringify(initialize());

describe('nodeHandler() of a server of node:http2', () => {
  test('checks the authority in the place of Host', async () => {
    const { post } = await start({ allowedHosts: ['mcp.example'] });
    expect((await post(INITIALIZE, { ':authority': 'mcp.example:8443' })).status).toBe(200);
    expect((await post(INITIALIZE, { ':authority': 'evil.example' })).status).toBe(403);
  });

  test('refuses a host beside another authority', async () => {
    const { post } = await start({ allowedHosts: ['mcp.example', 'other.example'] });
    const same = { ':authority': 'mcp.example', host: 'mcp.example' };
    expect((await post(INITIALIZE, same)).status).toBe(200);
    const { status, text } = await post(INITIALIZE, { ...same, host: 'other.example' });
    expect([status, text]).toEqual([400, expect.stringContaining('Host must be sent once')]);
  });

  test('tells the authority as Host, and nothing that is no header', async () => {
    const seen: object[] = [];
    const { post } = await start({
      authenticate: ({ headers, method, url }) => {
        seen.push({ host: headers['host'], pseudo: Object.keys(headers).filter((name) => /^:/.test(name)) });
        seen.push({ method, url });
        return { id: 'ada' };
      },
    });
    expect((await post(INITIALIZE, { ':authority': 'localhost' })).status).toBe(200);
    expect(seen).toEqual([
      { host: 'localhost', pseudo: [] },
      { method: 'POST', url: '/mcp' },
    ]);
  });

  test('answers in the middle of a body that is too long, and goes on with other streams', async () => {
    const { open, post } = await start({ limits: { maxBodyBytes: 10_000 } });
    const endless = open();
    endless.write('x'.repeat(200_000));
    const { status, headers, text } = await within(answerOf(endless));
    expect([status, headers['connection'], text]).toEqual([413, undefined, expect.stringContaining('10000')]);
    const declared = open({ 'content-length': '5000000' });
    expect((await within(answerOf(declared))).status).toBe(413);
    expect((await within(post(INITIALIZE))).status).toBe(200);
  });

  test('cuts off a client that reads nothing of a stream, and none of its other streams', async () => {
    const { open, post, fixture, lines } = await start({ limits: { maxBufferedBytes: 100_000 } });
    const aborted = new Promise<void>((resolve) => {
      fixture.app.tools.add(
        defineTool({
          name: 'flood',
          handle: async (_args, context) => {
            for (let step = 1; !context.signal.aborted; step++) {
              context.progress(step, undefined, 'x'.repeat(50_000));
              await new Promise((next) => setImmediate(next));
            }
            resolve();
            return 'over';
          },
        }),
      );
    });
    const flood = request('tools/call', { name: 'flood', _meta: envelope({ progressToken: 'p' }) });
    const modern = { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'flood' };
    open(modern).end(JSON.stringify(flood));
    await within(aborted);
    expect(lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
    expect((await within(post(INITIALIZE))).status).toBe(200);
  });
});
