import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import type { Era, Message } from '../../contract/client.js';
import { HttpClient } from '../../contract/http-client.js';

const WORKER = fileURLToPath(new URL('../fixtures/worker.mjs', import.meta.url));
const WORKERD = workerd();
const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker", esModule = embed "worker.js")],
    compatibilityDate = "2026-01-01",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;

const made = { folder: '' };

beforeAll(async () => {
  made.folder = await mkdtemp(join(tmpdir(), 'worker-'));
});

afterAll(() => rm(made.folder, { recursive: true }));

/** The program of Cloudflare's runtime, where it is installed: there is one for few platforms. */
function workerd(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve('@cloudflare/workerd-linux-64/package.json');
    const program = join(dirname(manifest), 'bin/workerd');
    return existsSync(program) ? program : undefined;
  } catch {
    return undefined;
  }
}

/** Bundles a worker as its users do. @returns what of it is left to be imported. */
async function bundle(outfile: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [WORKER],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*'],
    metafile: true,
    logLevel: 'error',
  });
  return Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
}

test('@sigil/core and @sigil/http/fetch need nothing of Node', async () => {
  expect(await bundle(join(made.folder, 'neutral.js'))).toEqual([]);
});

(WORKERD === undefined ? describe.skip : describe)('an app in workerd', () => {
  let child: ChildProcess;
  let address = '';

  beforeAll(async () => {
    await bundle(join(made.folder, 'worker.js'));
    const config = join(made.folder, 'config.capnp');
    await writeFile(config, CONFIG);
    child = spawn(WORKERD ?? '', ['serve', config, '--control-fd=3'], {
      stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    });
    for await (const line of createInterface(child.stdio[3] as Readable)) {
      const { event, port } = JSON.parse(line) as { event: string; port?: number };
      if (event === 'listen') address = `http://127.0.0.1:${port}/mcp`;
      if (address) break;
    }
  });

  afterAll(async () => {
    child.kill('SIGKILL');
    await once(child, 'close');
  });

  const connect = (era: Era): Promise<HttpClient> =>
    new HttpClient(
      era,
      address,
      () => Promise.resolve(),
      () => ({}),
    ).greet();
  const call = (client: HttpClient, name: string) => client.start('tools/call', { name, arguments: {} });

  test.each(['legacy', 'modern'] as const)(
    'answers calls, and streams what comes before, %s',
    async (era) => {
      const client = await connect(era);
      expect(textOf(await call(client, 'hello').response)).toBe('Hello');
      const { early, response } = call(client, 'count');
      expect(textOf(await response)).toBe('counted');
      expect(early.map(({ params }) => params?.['progress'])).toEqual([1, 2, 3]);
    },
  );

  test('serves clients side by side', async () => {
    const client = await connect('modern');
    const answers = await Promise.all(Array.from({ length: 20 }, () => call(client, 'count').response));
    expect(answers.map(textOf)).toEqual(Array(20).fill('counted'));
  });

  test('refuses who is not known', async () => {
    const response = await fetch(address, { method: 'POST', headers: { Authorization: 'Bearer wrong' } });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer error="invalid_token"',
    ]);
    await response.text();
  });
});

function textOf(message: Message | undefined): unknown {
  const content = message?.result?.['content'] as { text?: unknown }[] | undefined;
  return content?.[0]?.text;
}
