import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { v2Auto } from './clients.js';
import { createMcpApp, endStarted, passTests, succeed, temporaryFolder } from './create-mcp-app.js';
import { endProcesses, freePort, ServerProcess, until } from './processes.js';

/** Installs, compiles and tests of a whole project, on a busy machine. */
export const LONG_MS = 180_000;

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

interface Created {
  readonly directory: string;
  readonly answer: string;
  readonly files: readonly string[];
  readonly steps: readonly { readonly name: string; readonly outcome: string }[];
}

/** Holds for projects of every template; a file for each package manager, so that they run side by side. */
export function createdProjects(packageManager: 'npm' | 'pnpm'): void {
  afterEach(endProcesses);
  afterEach(endStarted);

  describe.each(TEMPLATES)(`a project of $template with ${packageManager}`, (facts) => {
    const { template, tool, args, answer, asks } = facts;

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

        const run = (...script: readonly string[]) => succeed(project, packageManager, ...script);
        await Promise.all([
          passTests(project, packageManager),
          overStdio(project, tool, args, answer),
          overHttp(project, tool, args, answer),
        ]);

        // As the Dockerfile of the template `http` has it, whatever installed the packages.
        await succeed(project, 'npm', 'run', 'bundle', '--', '--ship', 'ship');
        const shipped = join(folder.path, 'shipped');
        cpSync(join(project, 'ship'), shipped, { recursive: true });
        await Promise.all([
          overStdio(shipped, tool, args, answer, 'dist/app.mjs'),
          overHttp(shipped, tool, args, answer, 'dist/app.mjs'),
        ]);

        for (const kind of ['tool', 'resource', 'prompt', 'service']) {
          const added = await createMcpApp(join(project, 'src'), ['add', kind, 'my thing']);
          expect(added).toMatchObject({ code: 0, stderr: '' });
        }
        await run('run', 'build');
        await Promise.all([
          run('run', 'typecheck'),
          passTests(project, packageManager),
          run('run', 'check'),
          ...(template === 'full' ? [run('run', 'lint')] : []),
          overStdio(project, 'my_thing', { text: 'Grown' }, 'Grown'),
        ]);

        rmSync(join(project, 'src/tools/my-thing.ts'));
        rmSync(join(project, 'test/tools/my-thing.test.ts'));
        await run('run', 'build');
        expect(existsSync(join(project, 'dist/tools/my-thing.js'))).toBe(true);
        await expect(overStdio(project, 'my_thing', { text: 'Grown' }, 'Grown')).rejects.toThrow('my_thing');
      },
      LONG_MS,
    );
  });
}

async function overStdio(
  project: string,
  tool: string,
  args: object,
  answer: string,
  file = 'dist/main.js',
): Promise<void> {
  const script = join(project, file);
  const { client } = await v2Auto.connect({ script, args: ['--stdio'] });
  await expectAnswer(client, tool, args, answer);
}

async function overHttp(
  project: string,
  tool: string,
  args: object,
  answer: string,
  file = 'dist/main.js',
): Promise<void> {
  const port = await freePort();
  const server = new ServerProcess(join(project, file), ['--http', '--port', String(port)]);
  await until(() => server.stderr.includes(`Listening on http://127.0.0.1:${port}/mcp`), 20_000);
  const { client } = await v2Auto.connect({ address: `http://127.0.0.1:${port}/mcp` });
  await expectAnswer(client, tool, args, answer);
  // Of the templates, minimal alone has no metrics.
  if (tool === TEMPLATES[0].tool || tool === 'my_thing') return;
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const counted = metrics.split('\n').find((line) => line.includes(`gen_ai_tool_name="${tool}"`));
  expect(counted).toMatch(/^mcp_server_operation_duration_count\{.*\} 1$/);
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
