import { describe, expect, test } from '@jest/globals';
import type { Choices } from '../../src/create/choose.js';
import { nextCommands, planFor } from '../../src/create/plan.js';
import { typed } from '../../src/create/run-command.js';
import { PACKAGE_MANAGER_NAMES } from '../../src/package-managers.js';

const choices: Choices = {
  directory: '/home/ada/my-app',
  name: 'my-app',
  template: 'minimal',
  auth: 'none',
  ui: 'none',
  packageManager: 'npm',
  installs: true,
  usesGit: true,
  force: false,
  local: false,
};
const sample = { tool: 'greet', arguments: { name: 'Ada' } };

describe('a plan', () => {
  test('writes, makes a repository, installs, builds and calls', () => {
    const { steps } = planFor(choices, sample);
    expect(steps.map(({ name }) => name)).toEqual(['write', 'git', 'install', 'build', 'call']);
  });

  test('leaves out what is not wanted', () => {
    const { steps } = planFor({ ...choices, installs: false, usesGit: false }, sample);
    expect(steps.map(({ name }) => name)).toEqual(['write']);
  });

  test.each(PACKAGE_MANAGER_NAMES)('installs and builds with %s alone', (packageManager) => {
    const { steps } = planFor({ ...choices, packageManager }, sample);
    const commands = steps.filter(({ name }) => name === 'install' || name === 'build');
    const programs = commands.flatMap((step) => step.commands.map(({ program }) => program));
    expect(programs).toEqual([packageManager, packageManager]);
  });
});

describe('the commands to go on with', () => {
  test('go into the folder, start the development server and add it to a client', () => {
    expect(nextCommands(planFor(choices, sample), '/home/ada')).toEqual([
      'cd my-app',
      'npm run dev',
      'claude mcp add my-app -- node /home/ada/my-app/dist/main.js --stdio',
    ]);
  });

  test('start an authorization server first where users log in, and add the server by its address', () => {
    const plan = planFor({ ...choices, template: 'http', auth: 'oauth' }, sample);
    expect(nextCommands(plan, '/home/ada')).toEqual([
      'cd my-app',
      'npm run identity',
      'npm run dev',
      'claude mcp add --transport http my-app http://127.0.0.1:3000/mcp',
    ]);
  });

  test('add a server of the template http by its address', () => {
    const plan = planFor({ ...choices, template: 'http' }, sample);
    expect(nextCommands(plan, '/home/ada').at(-1)).toBe(
      'claude mcp add --transport http my-app http://127.0.0.1:3000/mcp',
    );
  });

  test('need no cd in the folder itself', () => {
    expect(nextCommands(planFor(choices, sample), '/home/ada/my-app')[0]).toBe('npm run dev');
  });

  test('quote what a shell would take apart', () => {
    const spaced = { ...choices, directory: `/home/o'neil/my apps/my-app` };
    const [cd, , add] = nextCommands(planFor(spaced, sample), "/home/o'neil");
    expect(cd).toBe(`cd 'my apps/my-app'`);
    expect(add).toContain(`node '/home/o'\\''neil/my apps/my-app/dist/main.js'`);
  });

  test('install and build what has not been', () => {
    const plan = planFor({ ...choices, installs: false, packageManager: 'bun' }, sample);
    expect(nextCommands(plan, '/home/ada').slice(0, 4)).toEqual([
      'cd my-app',
      'bun install',
      'bun run build',
      'bun run dev',
    ]);
  });
});

test('a command is shown as it is typed', () => {
  expect(typed({ program: 'git', args: ['commit', '--message', 'Initial commit'] })).toBe(
    `git commit --message 'Initial commit'`,
  );
});
