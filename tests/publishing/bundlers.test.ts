import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { build, type BuildOptions } from 'esbuild';
import { bundleWithEsbuild, bundleWithWebpack, compileWithSwc } from './bundlers.js';
import { noRedis, Redis } from '../e2e/redis.js';
import { answersOf, type Call, listed, refusal } from './programs.js';

// Bundles the framework and the libraries beside it, several times.
jest.setTimeout(120_000);

const run = promisify(execFile);

// Within the project, where bundlers find what programs install.
const FOLDER = join(process.cwd(), 'node_modules/.cache/bundlers');
/** Where bundles go: from here no package is found, so they have to have everything in them. */
const BUNDLES = mkdtempSync(join(tmpdir(), 'sigil-bundles-'));

const USERS = `
  import { createApp, Service, Tool } from '@sigil/core';
  import { Exclude, Expose, Transform } from 'class-transformer';
  import { IsOptional, IsString } from 'class-validator';
  import { Inject } from 'typedi';

  class NewUser {
    @IsString() @Transform(({ value }) => String(value).trim()) name!: string;
    @IsString() @Expose({ name: 'mail' }) address!: string;
    @IsString() @IsOptional() @Exclude() role: string = 'guest';
  }

  class User {
    @IsString() name!: string;
    @IsString() @IsOptional() @Exclude() passwordHash?: string;
  }

  @Service()
  class Users {
    constructor(@Inject('owner') private readonly owner: string) {}

    @Tool()
    received(user: NewUser): string {
      return JSON.stringify(user);
    }

    @Tool({ output: User })
    find(): User {
      return Object.assign(new User(), { name: this.owner, passwordHash: 'secret' });
    }
  }

  const providers = [{ provide: 'owner', useValue: 'Ada' }];
  const app = await createApp({ name: 'users', version: '1.0.0', services: [Users], providers });
  const running = await app.run();
  console.log(running.address);`;

/** Compiles a program. @returns its file. */
async function compile(name: string, source: string): Promise<string> {
  const file = join(FOLDER, name);
  writeFileSync(file, await compileWithSwc(source));
  return file;
}

const inEsbuild = (entry: string, name: string, options: BuildOptions, folder = BUNDLES): Promise<string> =>
  bundleWithEsbuild(entry, join(folder, name), options);

/** Default builds of bundlers, and what makes esbuild resolve packages as others do. */
const BUNDLERS: Readonly<Record<string, (entry: string) => Promise<string>>> = {
  esbuild: (entry) => inEsbuild(entry, 'esbuild', {}),
  'esbuild, which prefers ES modules': (entry) =>
    inEsbuild(entry, 'esbuild-modules', { mainFields: ['module', 'main'] }),
  'esbuild, which prefers ES2015 modules': (entry) =>
    inEsbuild(entry, 'esbuild-es2015', { mainFields: ['es2015', 'module', 'main'] }),
  'esbuild, which splits': (entry) => inEsbuild(entry, 'esbuild-split', { splitting: true }),
  webpack: (entry) => bundleWithWebpack(entry, join(BUNDLES, 'webpack')),
};

beforeAll(() => {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'package.json'), '{ "type": "module" }');
});
afterAll(() => [FOLDER, BUNDLES].forEach((folder) => rmSync(folder, { recursive: true, force: true })));

describe('a program whose properties are excluded, renamed and transformed', () => {
  let entry = '';
  beforeAll(async () => {
    entry = await compile('users.js', USERS);
  });

  test.each(Object.entries(BUNDLERS))('keeps to it when it is bundled by %s', async (_, bundle) => {
    const user = { name: ' Ada ', mail: 'ada@example.com' };
    const calls: Call[] = [['received', { ...user, role: 'admin' }], ['received', user], ['find']];
    const [refused, taken, found] = await answersOf(await bundle(entry), calls);
    expect(refused).toContain('role: unknown property');
    expect(JSON.parse(String(taken))).toEqual({ name: 'Ada', address: 'ada@example.com', role: 'guest' });
    expect(JSON.parse(String(found))).toEqual({ name: 'Ada' });
  });

  test('does not start when the bundle has copies of the libraries and the framework stays outside of it', async () => {
    const libraries = ['@sigil/*', 'reflect-metadata', 'typedi'];
    const options = { mainFields: ['module', 'main'], external: libraries };
    const program = await inEsbuild(entry, 'copies', options, FOLDER);
    const said = await refusal(program);
    expect(said).toContain('Users.received: class NewUser uses another copy of class-validator');
    expect(said).toContain('Fix: bundle @sigil/core, class-validator and class-transformer');
    expect(said).toContain('[SIGIL_TWO_COPIES]');
  });
});

const SUMS = `
  import { createApp, defineTool } from '@sigil/core';

  const app = await createApp({ name: 'sums', version: '1.0.0' });
  app.tools.add(defineTool({ name: 'sum', handle: () => 3 }));
  const running = await app.run();
  console.log(running.address);`;

describe('a program that names no transport', () => {
  test('has both in its bundle, and takes the one that its arguments say', async () => {
    const program = await inEsbuild(await compile('sums.js', SUMS), 'sums', {});
    expect(await answersOf(program, [['sum']])).toEqual(['3']);
    const server = spawn(process.execPath, [program, '--http', '--port', '0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(server, 'close');
    try {
      const [said] = (await once(server.stdout, 'data')) as [Buffer];
      const health = await fetch(new URL('/health', said.toString().trim()));
      expect(health.status).toBe(200);
    } finally {
      server.kill('SIGKILL');
      await ended;
    }
  });

  test.each([['workerd'], ['edge-light'], ['browser']])(
    'has nothing of Node in its bundle where the platform is %s',
    async (condition) => {
      const { metafile, outputFiles } = await build({
        entryPoints: [await compile('sums.js', SUMS)],
        bundle: true,
        write: false,
        format: 'esm',
        platform: 'neutral',
        conditions: [condition],
        mainFields: ['browser', 'module', 'main'],
        metafile: true,
        logLevel: 'silent',
      });
      expect(
        Object.keys(metafile.inputs).filter((path) => /packages\/(http|stdio|node)\//.test(path)),
      ).toEqual([]);
      expect(outputFiles.map(({ text }) => /from *"node:|import\("node:/.exec(text)?.[0])).toEqual([
        undefined,
      ]);
    },
  );
});

const TASKS = `
  import { redis } from '@sigil/redis';

  const { tasks } = redis({ url: process.argv[2] })({ name: 'split' });
  const now = new Date().toISOString();
  const task = { taskId: 'taken', status: 'working', createdAt: now, lastUpdatedAt: now, ttlMs: null, pollIntervalMs: 1000 };
  const rest = { version: 1, owner: null, tool: 'work', toolVersion: '1', run: null, attempts: 0, call: '', journal: '' };
  await tasks.create({ task, ...rest }, 0);
  const [claimed] = await tasks.claim({ run: 'one', limit: 1, leaseMs: 30_000 });
  console.log(claimed.task.taskId);
  process.exit();`;

(noRedis === undefined ? test : test.skip)(
  `a program that is split takes tasks from Redis${noRedis ? ` (${noRedis})` : ''}`,
  async () => {
    const redis = await Redis.start();
    try {
      const program = await inEsbuild(await compile('tasks.js', TASKS), 'tasks', { splitting: true });
      const { stdout } = await run(process.execPath, [program, redis.url], { timeout: 20_000 });
      expect(stdout).toBe('taken\n');
    } finally {
      await redis.stop();
    }
  },
);

const TREES = `
  import { createApp, Service, Tool } from '@sigil/core';
  import { Type } from 'class-transformer';
  import { IsOptional, IsString, ValidateNested } from 'class-validator';

  class Branch {
    @IsString() name!: string;
    @IsOptional() @ValidateNested({ each: true }) @Type(() => Branch) branches?: Branch[];
  }

  class Tree {
    @ValidateNested() @Type(() => Branch) trunk!: Branch;
  }

  @Service()
  class Trees {
    @Tool({ output: [Branch] })
    plant(tree: Tree): Branch[] {
      return [tree.trunk];
    }
  }

  const app = await createApp({ name: 'trees', version: '1.0.0', services: [Trees] });
  await app.run();`;

test('a program promises the same when it is minified', async () => {
  const entry = await compile('trees.js', TREES);
  const [plain, minified] = await Promise.all([
    inEsbuild(entry, 'trees', {}),
    inEsbuild(entry, 'trees-minified', { minify: true }),
  ]);
  const tools = await listed(plain);
  expect(JSON.stringify(tools)).toContain('#/$defs/trunk');
  expect(await listed(minified)).toEqual(tools);
});
