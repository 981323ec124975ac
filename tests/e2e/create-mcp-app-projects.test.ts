import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { v2Auto } from './clients.js';
import { createMcpApp, endStarted, succeed, temporaryFolder } from './create-mcp-app.js';
import { endProcesses, freePort, ServerProcess, until } from './processes.js';

/** Installs, compiles and tests of a whole project, on a busy machine. */
const LONG_MS = 180_000;

/** What a template serves, and what its sample answers. */
const TEMPLATES = [
  {
    template: 'minimal',
    tool: 'greet',
    args: { name: 'Grace' },
    answer: 'Hello, Grace!',
    asks: 'Hello, Ada!',
  },
  { template: 'http', tool: 'find_recipes', args: { ingredient: 'rice' }, answer: 'rice', asks: 'rice' },
  { template: 'full', tool: 'search_books', args: { words: 'stars' }, answer: 'Stars', asks: 'Stars' },
] as const;

const CASES = TEMPLATES.flatMap((facts) =>
  (['npm', 'pnpm'] as const).map((packageManager) => ({ ...facts, packageManager })),
);

interface Created {
  readonly directory: string;
  readonly answer: string;
  readonly files: readonly string[];
  readonly steps: readonly { readonly name: string; readonly outcome: string }[];
}

afterEach(endProcesses);
afterEach(endStarted);

describe.each(CASES)('a project of $template with $packageManager', (facts) => {
  const { template, packageManager, tool, args, answer, asks } = facts;

  test(
    'answers when it is created, passes its tests, is served by its clients, and grows',
    async () => {
      using folder = temporaryFolder();
      const flags = ['--template', template, '--pm', packageManager, '--json'];
      const { code, stdout } = await createMcpApp(folder.path, ['first-server', ...flags]);
      expect({ code, stdout: code === 0 ? '' : stdout }).toEqual({ code: 0, stdout: '' });
      const created = JSON.parse(stdout) as Created;
      const project = join(folder.path, 'first-server');
      expect(created.directory).toBe(project);
      expect(created.answer).toContain(asks);
      expect(created.steps.map(({ name, outcome }) => `${name} ${outcome}`).sort()).toEqual([
        'build done',
        'call done',
        'git done',
        'install done',
        'write done',
      ]);

      await succeed(project, packageManager, 'test');
      await overStdio(project, tool, args, answer);
      await overHttp(project, tool, args, answer);

      for (const kind of ['tool', 'resource', 'prompt', 'service']) {
        const added = await createMcpApp(join(project, 'src'), ['add', kind, 'my thing']);
        expect(added).toMatchObject({ code: 0, stderr: '' });
      }
      await succeed(project, packageManager, 'run', 'build');
      await succeed(project, packageManager, 'run', 'typecheck');
      await succeed(project, packageManager, 'test');
      await succeed(project, packageManager, 'run', 'check');
      if (template === 'full') await succeed(project, packageManager, 'run', 'lint');
      await overStdio(project, 'my_thing', { text: 'Grown' }, 'Grown');

      rmSync(join(project, 'src/tools/my-thing.ts'));
      rmSync(join(project, 'test/tools/my-thing.test.ts'));
      await succeed(project, packageManager, 'run', 'build');
      expect(existsSync(join(project, 'dist/tools/my-thing.js'))).toBe(true);
      await expect(overStdio(project, 'my_thing', { text: 'Grown' }, 'Grown')).rejects.toThrow('my_thing');
    },
    LONG_MS,
  );
});

describe('a project', () => {
  test('is in a repository of its own, all of it committed', async () => {
    using folder = temporaryFolder();
    const identity = {
      GIT_AUTHOR_NAME: 'A',
      GIT_AUTHOR_EMAIL: 'a@b.c',
      GIT_COMMITTER_NAME: 'A',
      GIT_COMMITTER_EMAIL: 'a@b.c',
    };
    const { code } = await createMcpApp(folder.path, ['app', '--no-install'], { env: identity });
    expect(code).toBe(0);
    const project = join(folder.path, 'app');
    expect(await succeed(project, 'git', 'status', '--porcelain')).toBe('');
    expect(await succeed(project, 'git', 'log', '--format=%s')).toBe('Initial commit\n');
    expect((await succeed(project, 'git', 'ls-files')).split('\n')).toContain('.gitignore');
  });

  test('is in the repository that it is created in', async () => {
    using folder = temporaryFolder();
    await succeed(folder.path, 'git', 'init', '--quiet');
    const { code, stdout } = await createMcpApp(folder.path, ['app', '--no-install']);
    expect(code).toBe(0);
    expect(stdout).toContain('No git repository: it is in a git repository already');
  });

  test('is in a repository without a commit when git knows nobody to commit as', async () => {
    using folder = temporaryFolder();
    const home = join(folder.path, 'home');
    mkdirSync(home);
    const nobody = {
      HOME: home,
      XDG_CONFIG_HOME: home,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      EMAIL: '',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'user.useConfigOnly',
      GIT_CONFIG_VALUE_0: 'true',
      GIT_AUTHOR_NAME: '',
      GIT_COMMITTER_NAME: '',
    };
    const { code, stdout } = await createMcpApp(folder.path, ['app', '--no-install'], { env: nobody });
    expect(code).toBe(0);
    expect(stdout).toContain('Made a git repository; git knows no user.name and user.email to commit with');
  });

  test(
    'asks the registry for packages when this was installed from there, and knows no others',
    async () => {
      using folder = temporaryFolder();
      const root = process.cwd();
      const pack = [
        'pack',
        '--workspace=create-mcp-app',
        '--ignore-scripts',
        '--json',
        '--pack-destination',
        folder.path,
      ];
      const [packed] = JSON.parse(await succeed(root, 'npm', ...pack)) as [
        { filename: string; files: { path: string }[] },
      ];
      const made = packed.files.filter(({ path }) =>
        /^templates\/.*(node_modules|dist|coverage|tsbuildinfo)/.test(path),
      );
      expect(made).toEqual([]);

      await succeed(
        folder.path,
        'npm',
        'install',
        '--no-audit',
        '--no-fund',
        '--prefer-offline',
        packed.filename,
      );
      const command = join(folder.path, 'node_modules/create-mcp-app/bin/create-mcp-app.mjs');
      await succeed(
        folder.path,
        process.execPath,
        command,
        'app',
        '--no-install',
        '--no-git',
        '--template',
        'full',
      );
      const manifest = JSON.parse(readFileSync(join(folder.path, 'app/package.json'), 'utf8')) as {
        dependencies: Record<string, string>;
      };
      expect(manifest.dependencies['@sigil/core']).toMatch(/^\^\d/);
      await expect(succeed(folder.path, process.execPath, command, 'other', '--local')).rejects.toThrow(
        'create-mcp-app: --local is for a checkout of Sigil, and this command was installed from a registry',
      );
    },
    LONG_MS,
  );
});

async function overStdio(project: string, tool: string, args: object, answer: string): Promise<void> {
  const script = join(project, 'dist/main.js');
  const { client } = await v2Auto.connect({ script, args: ['--stdio'] });
  await expectAnswer(client, tool, args, answer);
}

async function overHttp(project: string, tool: string, args: object, answer: string): Promise<void> {
  const port = await freePort();
  const server = new ServerProcess(join(project, 'dist/main.js'), ['--http', '--port', String(port)]);
  await until(() => server.stderr.includes(`Listening on http://127.0.0.1:${port}/mcp`), 20_000);
  const { client } = await v2Auto.connect({ address: `http://127.0.0.1:${port}/mcp` });
  await expectAnswer(client, tool, args, answer);
}

async function expectAnswer(
  client: Awaited<ReturnType<typeof v2Auto.connect>>['client'],
  name: string,
  args: object,
  answer: string,
): Promise<void> {
  try {
    const { content } = await client.callTool({ name, arguments: { ...args } });
    expect(JSON.stringify(content)).toContain(answer);
  } finally {
    await client.close();
  }
}
