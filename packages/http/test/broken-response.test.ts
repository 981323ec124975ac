import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { createApp, defineTool } from '@sigil/core';
import { nodeHandler } from '@sigil/http';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const call = (name: string): RequestInit => ({
  method: 'POST',
  headers: {
    'Content-Type': 'application/json',
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': 'tools/call',
    'Mcp-Name': name,
  },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name,
      arguments: {},
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  }),
  signal: AbortSignal.timeout(5_000),
});

/** A server whose middleware lets no head of a response be written, but at one path. */
async function serve(logged: string[]): Promise<string> {
  const quiet = (): void => undefined;
  const error = (_details: unknown, message?: string): void => void logged.push(String(message));
  const app = await createApp({
    name: 'shop',
    version: '1.0.0',
    logger: { debug: quiet, info: quiet, warn: quiet, error },
    definitions: [
      defineTool({ name: 'now', handle: () => 'now' }),
      defineTool({
        name: 'later',
        handle: async () => {
          await new Promise((resolve) => setTimeout(resolve, 10));
          return 'later';
        },
      }),
      defineTool({
        name: 'stream',
        handle: async (_args, context) => {
          context.progress(1);
          await new Promise((resolve) => setTimeout(resolve, 10));
          return 'streamed';
        },
      }),
    ],
  });
  const handler = nodeHandler(app);
  const server = createServer((request, response) => {
    if (request.url !== '/well')
      response.writeHead = () => {
        throw new Error('middleware is broken');
      };
    handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
    () => app.close(),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each(['now', 'later', 'stream'])(
  'a client whose answer cannot be written learns of it at once: %s',
  async (name) => {
    const logged: string[] = [];
    const origin = await serve(logged);
    await expect(fetch(origin, call(name))).rejects.toThrow('fetch failed');
    expect(logged.length).toBeGreaterThan(0);
    expect((await fetch(`${origin}/well`, call('now'))).status).toBe(200);
  },
);
