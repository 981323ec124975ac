import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { LambdaService } from './frameworks/lambda-service.js';

const APP = 'apps/lambda';
/** An answer is ended a second before this. */
const TIMEOUT_MS = 1_600;

describe.each(['streamed', 'buffered'])('the function of apps/lambda that is %s', (name) => {
  let service: LambdaService;
  let client: Client;

  beforeAll(async () => {
    const env = { STATE_KEY: 'x'.repeat(44), HOSTS: '127.0.0.1' };
    const module = resolve(APP, 'dist/function', `${name}.mjs`);
    service = await new LambdaService({ module, env, timeoutMs: TIMEOUT_MS }).start();
    client = new Client({ name: 'reader', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', service.origin)));
  });

  afterAll(async () => {
    await client.close();
    await service.stop();
  });

  test('answers with what it has measured, and tells how far it is', async () => {
    const progress: number[] = [];
    const answer = await client.callTool(
      { name: 'measure', arguments: { warehouse: 'Kiel', times: 3 } },
      { onprogress: (step) => void progress.push(step.progress) },
    );
    expect(answer.structuredContent).toEqual({ warehouse: 'Kiel', mean: 14 });
    expect(progress).toEqual([0, 1, 2]);
    const refused = await client.callTool({ name: 'measure', arguments: { warehouse: 'Kiel', times: 50 } });
    expect(refused.isError).toBe(true);
  });

  test('ends an answer before the time of the function is over', async () => {
    const began = Date.now();
    const params = {
      name: 'measure',
      arguments: { warehouse: 'Kiel', times: 20 },
      _meta: {
        progressToken: 1,
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    };
    const response = await fetch(new URL('/mcp', service.origin), {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': 'tools/call',
        'Mcp-Name': 'measure',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });
    const said = await response.text();
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect(said).toContain('"progress":0');
    expect(said).not.toContain('"result"');
    expect(Date.now() - began).toBeLessThan(TIMEOUT_MS);
    expect((await client.listTools()).tools).toHaveLength(1);
  });

  test('refuses clients that would only listen', async () => {
    const headers = { Accept: 'text/event-stream' };
    const response = await fetch(new URL('/mcp', service.origin), { headers });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, DELETE, OPTIONS']);
  });
});

test('the template of apps/lambda names modules that are built', () => {
  const template = readFileSync(`${APP}/template.yaml`, 'utf8');
  const handlers = [...template.matchAll(/Handler: (\w+)\.handler/g)].map(([, name]) => name);
  expect(handlers).toEqual(['streamed', 'buffered']);
  for (const name of handlers) expect(existsSync(`${APP}/dist/function/${name}.mjs`)).toBe(true);
});
