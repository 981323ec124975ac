import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { choose } from '../../src/create/choose.js';
import { CREATE_FLAGS, readFlags } from '../../src/flags.js';
import type { Prompter } from '../../src/host.js';
import { scriptedPrompter } from '../fixtures/scripted-prompter.js';
import { temporaryFolder } from '../fixtures/temporary-folder.js';

const sample = { tool: 'greet', arguments: {} };
const auth = ['oauth'] as const;
const templates = {
  minimal: { description: 'small', sample },
  http: { description: 'over HTTP', sample, auth },
  full: { description: 'everything', sample, auth },
};

const AGENT = { npm_config_user_agent: 'pnpm/10.34.9 npm/? node/v20.20.2 linux x64' };

function decide(
  cwd: string,
  args: readonly string[],
  { prompter, env = AGENT }: { prompter?: Prompter; env?: Record<string, string> } = {},
) {
  const said = readFlags(args, CREATE_FLAGS);
  return choose(said, { host: { cwd, env }, prompter, templates, taken: new Set(['jest']) });
}

/** Programs that do nothing, in a folder for `PATH`. */
function programsIn(folder: string, ...names: readonly string[]): string {
  for (const name of names) writeFileSync(join(folder, name), '', { mode: 0o755 });
  return folder;
}

describe('without anybody to ask', () => {
  test('defaults decide: the folder, the smallest template, the package manager that runs this', async () => {
    using cwd = temporaryFolder();
    expect(await decide(cwd.path, [])).toEqual({
      directory: join(cwd.path, 'my-mcp-server'),
      name: 'my-mcp-server',
      template: 'minimal',
      auth: 'none',
      ui: 'none',
      packageManager: 'pnpm',
      installs: true,
      usesGit: true,
      force: false,
      local: false,
    });
  });

  test('flags decide', async () => {
    using cwd = temporaryFolder();
    const chosen = ['--template', 'full', '--auth', 'oauth', '--ui', 'svelte', '--pm', 'bun'];
    const args = ['../a/b', ...chosen, '--no-install', '--no-git', '--local'];
    expect(await decide(join(cwd.path, 'x'), args)).toMatchObject({
      directory: join(cwd.path, 'a/b'),
      name: 'b',
      template: 'full',
      auth: 'oauth',
      ui: 'svelte',
      packageManager: 'bun',
      installs: false,
      usesGit: false,
      local: true,
    });
  });

  test('the folder it is called in is taken as .', async () => {
    using cwd = temporaryFolder();
    const directory = join(cwd.path, 'here');
    mkdirSync(join(directory, '.git'), { recursive: true });
    expect(await decide(directory, ['.'])).toMatchObject({ directory, name: 'here' });
  });

  test('npm is the package manager when nothing tells', async () => {
    using cwd = temporaryFolder();
    using bin = temporaryFolder();
    const env = { PATH: programsIn(bin.path, 'npm', 'yarn') };
    expect(await decide(cwd.path, [], { env })).toMatchObject({ packageManager: 'npm' });
  });

  test.each([
    [['a', 'b'], 'USAGE', `'b' is one argument too many`],
    [['--template', 'htp'], 'USAGE', `there is no template 'htp': did you mean http?`],
    [['--auth', 'oath'], 'USAGE', `there is no authorization 'oath': did you mean oauth?`],
    [['--ui', 'reakt'], 'USAGE', `there is no kind of view 'reakt': did you mean react?`],
    [['--auth', 'saml'], 'USAGE', `there is no authorization 'saml': there are none, oauth`],
    [
      ['--template', 'minimal', '--auth', 'oauth'],
      'USAGE',
      'the template minimal does not support --auth oauth: use --template http or --template full',
    ],
    [
      ['--auth', 'oauth'],
      'USAGE',
      'the template minimal does not support --auth oauth: use --template http or --template full',
    ],
    [['--pm', 'npn'], 'USAGE', `there is no package manager 'npn': did you mean npm?`],
    [['My Server!'], 'INVALID_NAME', `'My Server!' is not a valid npm name: use my-server`],
    [
      ['apps/jest'],
      'INVALID_NAME',
      `'jest' is the name of a package that the project uses: use apps/jest-server`,
    ],
    [['--pm', 'yarn'], 'NO_PACKAGE_MANAGER', /^yarn is not installed: run npm install --global yarn/],
  ])('%j is refused with one line', async (args, code, message) => {
    using cwd = temporaryFolder();
    await expect(decide(cwd.path, args)).rejects.toMatchObject({
      code,
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
  });

  test('a package manager need not be there when nothing is installed', async () => {
    using cwd = temporaryFolder();
    expect(await decide(cwd.path, ['--pm', 'yarn', '--no-install'])).toMatchObject({
      packageManager: 'yarn',
    });
  });

  test('a folder with something in it is refused, a few of which are named', async () => {
    using cwd = temporaryFolder();
    mkdirSync(join(cwd.path, 'app'));
    for (const name of ['a', 'b', 'c', 'd', '.DS_Store']) writeFileSync(join(cwd.path, 'app', name), '');
    await expect(decide(cwd.path, ['app'])).rejects.toMatchObject({
      code: 'FOLDER_NOT_EMPTY',
      message: 'app is not empty (a, b, c and 1 more): choose another folder, or use --force',
    });
    expect(await decide(cwd.path, ['app', '--force'])).toMatchObject({ name: 'app', force: true });
  });

  test('a file is no folder', async () => {
    using cwd = temporaryFolder();
    writeFileSync(join(cwd.path, 'app'), '');
    await expect(decide(cwd.path, ['app'])).rejects.toThrow(/app is a file, not a folder$/);
  });
});

describe('with somebody to ask', () => {
  test('only what was not said is asked', async () => {
    using cwd = temporaryFolder();
    const prompter = scriptedPrompter('', 'minimal');
    expect(await decide(cwd.path, [], { prompter })).toMatchObject({
      name: 'my-mcp-server',
      template: 'minimal',
      auth: 'none',
    });
    expect(prompter.said).toEqual([
      'Where should it go? [./my-mcp-server]',
      'What should it begin with? minimal, http, full',
    ]);
    const withView = scriptedPrompter('minimal');
    await decide(cwd.path, ['app', '--ui', 'react'], { prompter: withView });
    expect(withView.said).toEqual([
      'What should it begin with, besides the view and its tools? minimal, http, full',
    ]);
    const silent = scriptedPrompter();
    await decide(cwd.path, ['app', '--template', 'full'], { prompter: silent });
    expect(silent.said).toEqual([]);
  });

  test('who may call is asked with the template, where it takes an answer', async () => {
    using cwd = temporaryFolder();
    const prompter = scriptedPrompter('http', 'oauth');
    expect(await decide(cwd.path, ['app'], { prompter })).toMatchObject({ template: 'http', auth: 'oauth' });
    expect(prompter.said).toEqual([
      'What should it begin with? minimal, http, full',
      'Who may call it over HTTP? none, oauth',
    ]);
  });

  test('--auth leaves the templates that take it to choose from', async () => {
    using cwd = temporaryFolder();
    const prompter = scriptedPrompter('full');
    const args = ['app', '--auth', 'oauth'];
    expect(await decide(cwd.path, args, { prompter })).toMatchObject({ template: 'full', auth: 'oauth' });
    expect(prompter.said).toEqual(['What should it begin with? http, full']);
  });

  test('a folder that cannot be taken is asked for again', async () => {
    using cwd = temporaryFolder();
    mkdirSync(join(cwd.path, 'full/x'), { recursive: true });
    const prompter = scriptedPrompter('Bad Name', 'good-name');
    const args = ['full', '--template', 'full'];
    expect(await decide(cwd.path, args, { prompter })).toMatchObject({ name: 'good-name' });
    expect(prompter.said).toEqual([
      expect.stringMatching(/^warning: full is not empty \(x\): /),
      'Where should it go? [./my-mcp-server]',
      `complaint: 'Bad Name' is not a valid npm name: use bad-name`,
    ]);
  });

  test('the package manager is asked for only when there are several and none runs this', async () => {
    using cwd = temporaryFolder();
    using bin = temporaryFolder();
    const env = { PATH: programsIn(bin.path, 'npm') };
    const args = ['app', '--template', 'full'];
    const alone = scriptedPrompter();
    expect(await decide(cwd.path, args, { prompter: alone, env })).toMatchObject({ packageManager: 'npm' });
    programsIn(bin.path, 'bun');
    const prompter = scriptedPrompter('bun');
    expect(await decide(cwd.path, args, { prompter, env })).toMatchObject({ packageManager: 'bun' });
    expect(prompter.said).toEqual(['Which package manager? npm, bun']);
  });
});
