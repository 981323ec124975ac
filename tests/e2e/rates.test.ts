import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { META } from '@sigil/core/transport';
import { Nodes, noNodes } from './nodes.js';
import { until } from './processes.js';

const SCRIPT = fileURLToPath(new URL('fixtures/rates-server.mjs', import.meta.url));

jest.setTimeout(60_000);

/** How a call was answered. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { readonly error?: { readonly code: number; readonly data: { retryAfterMs: number } } };
}

async function call(address: string, name: string, who: string): Promise<Answer> {
  const _meta = { [META.protocolVersion]: '2026-07-28', [META.clientCapabilities]: {} };
  const response = await fetch(address, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${who}`,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, _meta } }),
  });
  const { status, headers } = response;
  return { status, headers, body: (await response.json()) as Answer['body'] };
}

for (const store of ['redis', 'postgres'] as const) {
  const why = noNodes(store, 'nginx');
  const name = `three nodes on ${store}`;
  if (why === undefined) describe(name, () => threeNodes(store));
  else describe.skip(`${name} (${why})`, () => test('is skipped', () => undefined));
}

function threeNodes(store: 'redis' | 'postgres'): void {
  let nodes: Nodes;
  beforeAll(async () => {
    nodes = await Nodes.start(store, 'nginx', { script: SCRIPT });
  }, 60_000);
  afterAll(() => nodes.stop(), 20_000);

  /** Has 30 callers at all nodes call at the same time, again and again. */
  async function hammer(name: string, whoOf: (caller: number) => string, calls = 10): Promise<Answer[]> {
    const caller = async (at: number): Promise<Answer[]> => {
      const answers: Answer[] = [];
      for (let count = 0; count < calls; count += 1)
        answers.push(await call(nodes.addressOf(at % 3), name, whoOf(at)));
      return answers;
    };
    return (await Promise.all(Array.from({ length: 30 }, (_, at) => caller(at)))).flat();
  }

  test('admit exactly as many calls of a principal as its rate allows, whichever node they reach', async () => {
    const answers = await hammer('search', (at) => (at < 15 ? 'ada' : 'bob'), 14);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(200);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(220);
    for (const { status, headers, body } of refused) {
      const { code, data } = body.error ?? { code: 0, data: { retryAfterMs: 0 } };
      expect([status, code]).toEqual([429, 429]);
      expect(Number(headers.get('retry-after'))).toBe(Math.ceil(data.retryAfterMs / 1000));
      expect(headers.get('ratelimit')).toMatch(/^"principal";r=0;t=\d+$/);
    }
  });

  test('admit exactly as many calls of a tool as its rate allows to all together', async () => {
    const answers = await hammer('order', (at) => `caller ${at}`, 5);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(37);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(113);
  });

  test('run as many handlers at once as may, each process for itself', async () => {
    const answers = await hammer('press', (at) => `presser ${at}`, 2);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const [last] = answers.slice(-1);
    expect(JSON.stringify(last?.body)).toContain('"text":"3"');
  });

  test('count each for itself while the store is gone, and serve on', async () => {
    await nodes.store.pause();
    try {
      const answers = await hammer('search', () => 'cid', 12);
      // 100 at each of the three, and no more.
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(300);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(60);
    } finally {
      await nodes.store.resume();
    }
    await until(async () => (await call(nodes.addressOf(0), 'search', 'dan')).status === 200);
  });
}

describe('a process on stdio', () => {
  const open: Client[] = [];
  afterEach(async () => {
    for (const client of open.splice(0)) await client.close();
  });

  test.each(['2025-11-25', '2026-07-28'])('refuses in-band in %s', async (version) => {
    const mode = version === '2025-11-25' ? 'legacy' : { pin: version };
    const client = new Client({ name: 'caller', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [SCRIPT], stderr: 'ignore' }),
    );
    open.push(client);
    const results = await Promise.allSettled(
      Array.from({ length: 104 }, () => client.callTool({ name: 'search', arguments: {} })),
    );
    const refused = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as object] : [],
    );
    expect(refused).toHaveLength(4);
    for (const error of refused)
      expect(error).toMatchObject({
        code: 429,
        data: { retryAfterMs: expect.any(Number), policy: 'principal' },
      });
    const pong = await client.listTools();
    expect(pong.tools).toHaveLength(3);
  });
});
