import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createMcpApp, endStarted, succeed, temporaryFolder } from './create-mcp-app.js';
import { LONG_MS } from './created-project.js';

afterEach(endStarted);

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
    expect(stdout).toContain(
      'Made a git repository without a commit, because git has no user.name or no user.email',
    );
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
        /^(templates|additions)\/.*(node_modules|dist|coverage|tsbuildinfo)/.test(path),
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
        '--auth',
        'oauth',
      );
      expect(existsSync(join(folder.path, 'app/.env.example'))).toBe(true);
      const manifest = JSON.parse(readFileSync(join(folder.path, 'app/package.json'), 'utf8')) as {
        dependencies: Record<string, string>;
      };
      expect(manifest.dependencies['@sigil/core']).toMatch(/^\^\d/);
      expect(manifest.dependencies['@sigil/auth']).toBe(manifest.dependencies['@sigil/core']);
      await expect(succeed(folder.path, process.execPath, command, 'other', '--local')).rejects.toThrow(
        'create-mcp-app: --local is for a checkout of Sigil, and this command was installed from a registry',
      );
    },
    LONG_MS,
  );
});
