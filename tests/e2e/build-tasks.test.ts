import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { until } from '../contract/backend/waiting.js';
import { post } from './modern-http.js';
import { noPostgres, startPostgres } from './postgres.js';
import { noRedis, Redis } from './redis.js';
import { sigil } from './sigil-command.js';

// Each builds a program, and the machine may be busy.
jest.setTimeout(180_000);

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const TASKS = 'io.modelcontextprotocol/tasks';

/** A server whose tool is a task. Each file has the backend that it needs, and nothing else. */
const program = (name: 'redis' | 'postgres'): string => `
  import { createApp, defineTool, TaskSupport } from '@sigil/core';
  import { http } from '@sigil/http';
  import { ${name} } from '@sigil/${name}';
  const greet = defineTool({
    name: 'greet',
    description: 'Greets, in the background',
    metadata: TaskSupport.entry('required'),
    handle: (_args, ctx) => ctx.once('greeting', () => 'Hello from a task'),
  });
  const app = await createApp({
    name: 'greetings',
    version: '1.0.0',
    definitions: [greet],
    state: { keys: ['the same secret in every process of this app'] },
    backend: ${name}({ url: process.env.STORE_URL ?? '${name}://127.0.0.1' }),
  });
  const { address } = await app.run(http({ port: 0 }));
  console.log(address);`;

describe('a file of sigil build, alone in a folder', () => {
  const project = realpathSync(mkdtempSync(join(tmpdir(), 'sigil-tasks-')));
  const folders = [project];
  const children: ChildProcess[] = [];

  beforeAll(() => {
    symlinkSync(MODULES, join(project, 'node_modules'));
    writeFileSync(join(project, 'package.json'), '{ "name": "greetings", "type": "module" }');
  });
  afterEach(async () => {
    for (const child of children.splice(0)) {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    }
  });
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  async function runBuilt(name: 'redis' | 'postgres', storeUrl: string): Promise<string> {
    writeFileSync(join(project, `${name}.js`), program(name));
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sigil-alone-')));
    folders.push(folder);
    const file = join(folder, 'app.mjs');
    const built = await sigil('build', join(project, `${name}.js`), '--out', file);
    if (built.code !== 0) throw new Error(built.stderr);
    const child = spawn(process.execPath, [file], {
      cwd: folder,
      env: { STORE_URL: storeUrl },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    return String(line).trim();
  }

  const request = (address: string, method: string, params: Record<string, unknown>) =>
    post(address, method, params, { extensions: { [TASKS]: {} } });

  async function runsATask(address: string): Promise<void> {
    const { taskId } = await request(address, 'tools/call', { name: 'greet', arguments: {} });
    let task: Record<string, unknown> = {};
    await until(async () => {
      task = await request(address, 'tasks/get', { taskId });
      return task['status'] !== 'working';
    });
    expect(task).toMatchObject({ status: 'completed', result: { content: [{ text: 'Hello from a task' }] } });
  }

  (noRedis === undefined ? test : test.skip)(noRedis ?? 'runs tasks on Redis', async () => {
    const redis = await Redis.start();
    try {
      await runsATask(await runBuilt('redis', redis.url));
    } finally {
      await redis.stop();
    }
  });

  (noPostgres === undefined ? test : test.skip)(noPostgres ?? 'runs tasks on PostgreSQL', async () => {
    const postgres = await startPostgres();
    try {
      await runsATask(await runBuilt('postgres', postgres.url));
    } finally {
      await postgres.stop();
    }
  });
});
