import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { startWorkerd, WORKERD } from '../e2e/frameworks/workerd.js';
import { post } from '../e2e/modern-http.js';
import { install } from '../publishing/packages.js';
import { codeBlocks, textBlocks } from './code-blocks.js';
import { describePage, textOf } from './guide-page.js';

const run = promisify(execFile);
const PAGE = 'docs/guide/deployment.md';

describePage('deployment', ({ fileOf, serve }) => {
  test('shows an app beside the routes of an application', async () => {
    const origin = await serve('shared.ts');
    origin.hostname = 'localhost';
    expect(await (await fetch(origin)).text()).toBe('Hello from Express');
    const client = new Client({ name: 'reader', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL('/api/mcp', origin)));
    expect(textOf(await client.callTool({ name: 'hello' }))).toBe('Hello');
    await client.close();
  });

  test('shows an entry that answers by the name that it is called by, and by no other', async () => {
    const { default: entry } = (await import(fileOf('src/worker.ts'))) as {
      default: { fetch(request: Request, env: object, context: object): Promise<Response> };
    };
    const statusAt = async (host: string): Promise<number> => {
      const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      const request = new Request(`http://${host}:8787/mcp`, { method: 'POST', headers, body });
      return (await entry.fetch(request, { HOST: '127.0.0.1' }, { waitUntil: () => undefined })).status;
    };
    expect(await statusAt('localhost')).toBe(403);
    expect(await statusAt('127.0.0.1')).not.toBe(403);
  });

  describe('leads from an app to a worker, with packages as npm installs them', () => {
    const project = realpathSync(mkdtempSync(join(tmpdir(), 'sigil-worker-')));
    afterAll(() => rmSync(project, { recursive: true, force: true }));

    beforeAll(async () => {
      await install(project, ['core', 'node', 'http', 'workers', 'cli'], ['typedi', 'typescript']);
      const [tsconfig] = await textBlocks(PAGE, 'json');
      const [config] = await textBlocks(PAGE, 'capnp');
      const entry = (await codeBlocks(PAGE)).find(({ name }) => name === 'src/worker.ts');
      mkdirSync(join(project, 'src'));
      const files = { 'tsconfig.json': tsconfig, 'config.capnp': config, 'src/worker.ts': entry?.code };
      for (const [file, text] of Object.entries(files)) writeFileSync(join(project, file), text ?? '');
      const [installs, builds, ...starts] = (await textBlocks(PAGE, 'sh')).map((block) =>
        block.trim().split('\n'),
      );
      expect(installs).toHaveLength(2);
      expect(starts).toEqual([['npx workerd serve config.capnp'], ['npx wrangler deploy']]);
      const { NODE_OPTIONS: _options, ...env } = process.env;
      for (const command of builds ?? []) await run('sh', ['-c', command], { cwd: project, env });
    }, 120_000);

    test('by a build that has all packages in one file', () => {
      const built = readFileSync(join(project, 'dist/worker.mjs'), 'utf8');
      expect(built).not.toMatch(/(?:from|import) ?["']@sigil/);
      expect(built.length).toBeGreaterThan(100_000);
    });

    test('by a wrangler.toml that says what config.capnp does', async () => {
      const [deployed = ''] = await textBlocks(PAGE, 'toml');
      const local = readFileSync(join(project, 'config.capnp'), 'utf8');
      expect(local).toContain(`embed "${/^main = "(.*)"$/m.exec(deployed)?.[1]}"`);
      expect(local).toContain(
        `compatibilityDate = "${/^compatibility_date = "(.*)"$/m.exec(deployed)?.[1]}"`,
      );
      expect(local).toContain(`compatibilityFlags = ${/^compatibility_flags = (.*)$/m.exec(deployed)?.[1]},`);
      const variables = [...deployed.slice(deployed.indexOf('[vars]')).matchAll(/^(\w+) = "/gm)];
      expect(variables.map(([, name]) => name)).toEqual(
        [...local.matchAll(/\(name = "(\w+)", text = /g)].map(([, name]) => name),
      );
    });

    (WORKERD === undefined ? test.skip : test)(
      'which answers in workerd, where that is installed',
      async () => {
        const { program, origin } = await startWorkerd(join(project, 'config.capnp'));
        const params = { name: 'greet', arguments: { name: 'Ada' } };
        const result = await post(`${origin}/mcp`, 'tools/call', params).finally(() => program.kill());
        expect(textOf(result)).toBe('Hello, Ada');
      },
      30_000,
    );
  });

  test('names every package that adapts a platform, and every example', () => {
    const page = readFileSync(PAGE, 'utf8');
    const linked = [...page.matchAll(/\]\(\.\.\/\.\.\/((?:packages|apps)\/[\w-]+)\)/g)].map(
      ([, path = '']) => path,
    );
    expect(linked.filter((path) => !existsSync(path))).toEqual([]);
    expect(linked).toEqual([
      ...['express', 'fastify', 'hono', 'next', 'lambda', 'workers'].map((name) => `packages/${name}`),
      ...['inventory', 'workers', 'inventory', 'lambda', 'next'].map((name) => `apps/${name}`),
    ]);
  });
});
