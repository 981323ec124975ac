import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { post } from '../e2e/modern-http.js';
import { noPostgres, startPostgres } from '../e2e/postgres.js';
import { until } from '../e2e/processes.js';
import { noRedis, Redis } from '../e2e/redis.js';
import { codeBlocks, compile } from './code-blocks.js';

const compiled = { dist: '' };
const running: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const pages = readdirSync('packages').map((name) => codeBlocks(`packages/${name}/README.md`));
  compiled.dist = await compile((await Promise.all(pages)).flat(), 'packages');
}, 60_000);

afterEach(async () => {
  for (const end of running.splice(0)) await end();
});

function start(program: string, env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [join(compiled.dist, program)], {
    env: { ...process.env, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  running.push(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { child, ended };
}

async function connect(program: string): Promise<Client> {
  const client = new Client({ name: 'reader', version: '1.0.0' });
  const args = [join(compiled.dist, program)];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'inherit' }));
  running.push(() => client.close());
  return client;
}

/** What the tool of that name says. @param serve answers in place of the network. */
async function hello(
  address: string,
  serve?: (request: Request) => Response | Promise<Response>,
): Promise<unknown> {
  const client = new ClientV2({ name: 'reader', version: '1.0.0' });
  const fetch = serve && (async (url: string | URL, init?: RequestInit) => serve(new Request(url, init)));
  await client.connect(new HttpV2(new URL(address), fetch && { fetch }));
  const { content } = await client.callTool({ name: 'hello' });
  await client.close();
  return (content as { text?: string }[])[0]?.text;
}

describe('the README of a package shows', () => {
  test('a server: @sigil/core', async () => {
    const client = await connect('core.js');
    const { content } = await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } });
    expect(content).toMatchObject([{ text: '3' }]);
  });

  test('a server on standard streams: @sigil/stdio', async () => {
    const client = await connect('stdio.js');
    expect((await client.callTool({ name: 'hello' })).content).toMatchObject([{ text: 'Hello' }]);
  });

  test('a server over HTTP: @sigil/http', async () => {
    const { child } = start('http.js');
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    const address = /^Listens on (http:\S+)\n/.exec(said.toString())?.[1];
    const health = await fetch(new URL('/health', address));
    expect(await health.json()).toEqual({ status: 'ok' });
  });

  test('a server that an app is mounted into: @sigil/http', async () => {
    const { child, ended } = start('mounted.js');
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    const port = /port: (\d+)/.exec(said.toString())?.[1];
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
    const client = new ClientV2({ name: 'reader', version: '1.0.0' });
    await client.connect(new HttpV2(new URL(`http://localhost:${port}/mcp`)));
    expect((await client.callTool({ name: 'hello' })).content).toMatchObject([{ text: 'Hello' }]);
    await client.close();
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  test('a worker: @sigil/http', async () => {
    const { default: worker } = (await import(join(compiled.dist, 'worker.js'))) as {
      default: { fetch(request: Request): Promise<Response> };
    };
    const transport = new HttpV2(new URL('https://hello.example.workers.dev/mcp'), {
      fetch: (url, init) => worker.fetch(new Request(url, init)),
    });
    const client = new ClientV2({ name: 'reader', version: '1.0.0' });
    await client.connect(transport);
    const { content } = await client.callTool({ name: 'hello', arguments: { name: 'Ada' } });
    expect(content).toMatchObject([{ text: 'Hello Ada' }]);
    await client.close();
  });

  test('an application of Nest: @sigil/nest', async () => {
    const { child, ended } = start('nest.js');
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    const address = /^Listens on (http:\S+)\n/.exec(said.toString())?.[1];
    const client = new ClientV2({ name: 'reader', version: '1.0.0' });
    await client.connect(new HttpV2(new URL(address ?? '')));
    const order = { name: 'order', arguments: { sku: 'LAMP', quantity: 2 } };
    expect((await client.callTool(order)).content).toMatchObject([{ text: '2 of LAMP are on their way' }]);
    await client.close();
    child.kill('SIGTERM');
    expect(await ended).toEqual([null, 'SIGTERM']);
  });

  test('a server beside the routes of Express: @sigil/express', async () => {
    const { child, ended } = start('express.js');
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    const origin = `http://localhost:${/port: (\d+)/.exec(said.toString())?.[1]}`;
    expect(await (await fetch(origin)).text()).toBe('Hello from Express');
    expect(await hello(`${origin}/mcp`)).toBe('Hello');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  test('a server beside the routes of Fastify: @sigil/fastify', async () => {
    const { child, ended } = start('fastify.js');
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    const origin = (/http:\S+/.exec(said.toString())?.[0] ?? '').replace('127.0.0.1', 'localhost');
    expect(await (await fetch(origin)).text()).toBe('Hello from Fastify');
    expect(await hello(`${origin}/api/mcp`)).toBe('Hello');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  test('a server beside the routes of Hono: @sigil/hono', async () => {
    const { server } = (await import(join(compiled.dist, 'hono.js'))) as {
      server: { fetch(request: Request): Response | Promise<Response> };
    };
    const answer = await server.fetch(new Request('http://localhost/'));
    expect(await answer.text()).toBe('Hello from Hono');
    expect(await hello('http://localhost/mcp', (request) => server.fetch(request))).toBe('Hello');
  });

  test('route handlers: @sigil/next', async () => {
    const handlers = (await import(join(compiled.dist, 'next.js'))) as Record<
      string,
      (request: Request) => Promise<Response>
    >;
    const serve = (request: Request) =>
      handlers[request.method]?.(request) ?? new Response(null, { status: 405 });
    expect(await hello('http://localhost/api/mcp', serve)).toBe('Hello');
  });

  test('a function: @sigil/lambda', async () => {
    const { handler } = (await import(join(compiled.dist, 'lambda.js'))) as {
      handler(event: object, context: object): Promise<{ statusCode: number; headers: object; body: string }>;
    };
    const serve = async (request: Request): Promise<Response> => {
      const headers = { ...Object.fromEntries(request.headers), host: 'mcp.example.com' };
      const requestContext = { http: { method: request.method } };
      const body = await request.text();
      const event = { rawPath: '/mcp', rawQueryString: '', headers, requestContext, body };
      const answer = await handler(event, { getRemainingTimeInMillis: () => 30_000 });
      const { statusCode: status } = answer;
      const isEmpty = [202, 204].includes(status);
      return new Response(isEmpty ? null : answer.body, {
        status,
        headers: answer.headers as Record<string, string>,
      });
    };
    expect(await hello('https://mcp.example.com/mcp', serve)).toBe('Hello');
  });

  test('a worker with bindings: @sigil/workers', async () => {
    const { default: worker } = (await import(join(compiled.dist, 'workers.js'))) as {
      default: { fetch(request: Request, env: object, context: object): Promise<Response> };
    };
    const env = { GREETING: 'Hello', HOST: 'hello.example' };
    const serve = (request: Request) => worker.fetch(request, env, { waitUntil: () => undefined });
    expect(await hello('https://hello.example/mcp', serve)).toBe('Hello');
  });

  test('a server that tokens open: @sigil/auth', async () => {
    const { child } = start('auth.js', { RESOURCE: 'http://127.0.0.1:1/mcp' });
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    const address = /^Listens on (http:\S+)\n/.exec(said.toString())?.[1] ?? '';
    const refused = await fetch(address, { method: 'POST' });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBe(
      'Bearer resource_metadata="http://127.0.0.1:1/.well-known/oauth-protected-resource/mcp", scope="mcp"',
    );
  });

  const testWithRedis = noRedis === undefined ? test : test.skip;

  testWithRedis(`a server on Redis: @sigil/redis${noRedis ? ` (${noRedis})` : ''}`, async () => {
    const redis = await Redis.start();
    running.push(() => redis.stop());
    const { child } = start('redis.js', { REDIS_URL: redis.url, STATE_KEY: 'x'.repeat(44) });
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    const address = /^Listens on (http:\S+)\n/.exec(said.toString())?.[1];
    expect((await fetch(new URL('/readyz', address))).status).toBe(200);
    await redis.stop();
    await until(async () => (await fetch(new URL('/readyz', address))).status === 503);
  });

  test('a server whose calls are traced and measured: @sigil/otel', async () => {
    const posted: string[] = [];
    const collector = createServer((request, response) => {
      void text(request).then((body) => posted.push(`${request.url} ${body}`));
      response.end('{}');
    });
    await once(collector.listen(0, '127.0.0.1'), 'listening');
    running.push(async () => void collector.close());
    const { port } = collector.address() as AddressInfo;
    const { child, ended } = start('otel.js', { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    const address = /^Listens on (http:\S+)\n/.exec(said.toString())?.[1] ?? '';
    expect(await hello(address)).toBe('Hello');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(posted).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^\/v1\/traces .*"tools\/call hello"/),
        expect.stringMatching(/^\/v1\/metrics .*"mcp\.server\.operation\.duration"/),
      ]),
    );
  });

  testWithRedis(
    `a server whose tasks BullMQ runs: @sigil/bullmq${noRedis ? ` (${noRedis})` : ''}`,
    async () => {
      const redis = await Redis.start();
      running.push(() => redis.stop());
      const { child } = start('bullmq.js', { REDIS_URL: redis.url, STATE_KEY: 'x'.repeat(44) });
      const [said] = (await once(child.stdout, 'data')) as [Buffer];
      const address = /^Listens on (http:\S+)\n/.exec(said.toString())?.[1] ?? '';
      const knowsTasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
      const call = { name: 'report', arguments: { topic: 'lamps' } };
      const { taskId } = await post(address, 'tools/call', call, knowsTasks);
      const get = () => post(address, 'tasks/get', { taskId }, knowsTasks);
      await until(async () => (await get())['status'] === 'completed');
      expect((await get())['result']).toMatchObject({ content: [{ text: 'All about lamps' }] });
    },
  );

  const testWithPostgres = noPostgres === undefined ? test : test.skip;

  testWithPostgres(
    `a server on PostgreSQL: @sigil/postgres${noPostgres ? ` (${noPostgres})` : ''}`,
    async () => {
      const postgres = await startPostgres();
      running.push(() => postgres.stop());
      const env = { DATABASE_URL: postgres.url, STATE_KEY: 'x'.repeat(44) };
      expect(await start('migrate.js', env).ended).toEqual([0, null]);
      const { child } = start('postgres.js', env);
      const [said] = (await once(child.stdout, 'data')) as [Buffer];
      const address = /^Listens on (http:\S+)\n/.exec(said.toString())?.[1];
      expect((await fetch(new URL('/readyz', address))).status).toBe(200);
      await postgres.halt();
      await until(async () => (await fetch(new URL('/readyz', address))).status === 503);
      await postgres.start();
      await until(async () => (await fetch(new URL('/readyz', address))).status === 200);
    },
    30_000,
  );

  test('a server of skills: @sigil/skills', async () => {
    const skill = join(compiled.dist, 'skills/greeting');
    await mkdir(skill, { recursive: true });
    await writeFile(join(skill, 'SKILL.md'), '---\nname: greeting\ndescription: How to greet\n---\n');
    const { resources } = await (await connect('skills.js')).listResources();
    expect(resources).toMatchObject([{ uri: 'skill://greeting/SKILL.md' }]);
  });

  test('a view, which needs a host: @sigil/ui', async () => {
    const ran = promisify(execFile)(process.execPath, [join(compiled.dist, 'ui.js')]);
    await expect(ran).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ViewError: No host embeds this page'),
    });
  });

  test('a test that passes: @sigil/testing', async () => {
    expect(await start('testing.js').ended).toEqual([0, null]);
  });
});
