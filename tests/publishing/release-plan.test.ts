import { execFile } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type Manifest, manifestIn, PUBLISHED } from './packages.js';

const run = promisify(execFile);

jest.setTimeout(60_000);

const CHANGESET = 'node_modules/@changesets/cli/bin.js';
/** `apps/next` stands outside the workspaces, and has links to packages in the place of versions. */
const APPS = readdirSync('apps')
  .filter((name) => name !== 'next')
  .map((name) => `apps/${name}`);
/** The page with a project that depends on packages. */
const PROJECT = 'docs/guide/existing-project.md';
/** What the next release of a change of some size is, from a version of three numbers. */
const RAISED = {
  patch: ([major, minor, patch]: number[]) => [major, minor, Number(patch) + 1],
  minor: ([major, minor]: number[]) => [major, Number(minor) + 1, 0],
  major: ([major]: number[]) => [Number(major) + 1, 0, 0],
};

let copy: string;

/** A repository with the manifests of this one, and nothing released but what they say. */
beforeEach(async () => {
  copy = mkdtempSync(join(tmpdir(), 'sigil-release-'));
  for (const folder of ['.', ...PUBLISHED, ...APPS]) {
    mkdirSync(join(copy, folder), { recursive: true });
    copyFileSync(join(folder, 'package.json'), join(copy, folder, 'package.json'));
  }
  mkdirSync(join(copy, '.changeset'));
  copyFileSync('.changeset/config.json', join(copy, '.changeset/config.json'));
  cpSync('scripts', join(copy, 'scripts'), { recursive: true });
  cpSync(PROJECT, join(copy, PROJECT));
  symlinkSync(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'), 'dir');
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=a', '-c', 'user.email=a@a', ...args], { cwd: copy });
  await git('init', '--quiet', '--initial-branch', 'main');
  await git('add', 'package.json', 'packages', 'apps', '.changeset');
  await git('commit', '--quiet', '--message', 'Begin');
});
afterEach(() => rmSync(copy, { recursive: true, force: true }));

/** Raises versions as `npm run release:version` does, for a change of one package. */
async function release(size: keyof typeof RAISED): Promise<void> {
  writeFileSync(join(copy, '.changeset/change.md'), `---\n'@sigil/core': ${size}\n---\n\nA change\n`);
  await run(process.execPath, [CHANGESET, 'version'], { cwd: copy });
  await run(process.execPath, ['scripts/raise-peers.mjs'], { cwd: copy });
}

const at = (folder: string): Manifest => manifestIn(join(copy, folder));

describe.each(Object.keys(RAISED) as (keyof typeof RAISED)[])('a release of a %s change', (size) => {
  test('gives all packages one version, which all that depend on them follow', async () => {
    const before = at('packages/core').version;
    await release(size);
    const version = RAISED[size](before.split('.').map(Number)).join('.');
    const [major, minor] = version.split('.').map(Number);
    const own = new Set(PUBLISHED.map((folder) => at(folder).name));
    for (const folder of PUBLISHED) {
      const { name, dependencies = {}, peerDependencies = {}, version: raised } = at(folder);
      expect([name, raised]).toEqual([name, version]);
      const among = (ranges: Readonly<Record<string, string>>) =>
        Object.entries(ranges)
          .filter(([of]) => own.has(of))
          .map(([, range]) => range);
      for (const range of among(peerDependencies))
        expect(range).toBe(`>=${major}.${minor}.0 <${Number(major) + 1}.0.0`);
      for (const range of among(dependencies)) expect(range).toBe(`^${version}`);
    }
    for (const app of APPS) {
      expect(at(app).version).toBe(manifestIn(app).version);
      if (manifestIn(app).dependencies?.['@sigil/core'])
        expect(at(app).dependencies?.['@sigil/core']).toBe(`^${version}`);
      expect(existsSync(join(copy, app, 'CHANGELOG.md'))).toBe(false);
    }
    const wanted = [...readFileSync(join(copy, PROJECT), 'utf8').matchAll(/"@sigil\/[\w-]+": "(.*)"/g)];
    expect(new Set(wanted.map(([, range]) => range))).toEqual(new Set([`^${version}`]));
  });
});

test('the changesets that wait can be read, and are about what is published', async () => {
  const waiting = readdirSync('.changeset').filter((name) => name.endsWith('.md'));
  for (const name of waiting) copyFileSync(join('.changeset', name), join(copy, '.changeset', name));
  await run(process.execPath, [CHANGESET, 'status', '--output', 'plan.json'], { cwd: copy });
  const plan = JSON.parse(readFileSync(join(copy, 'plan.json'), 'utf8')) as {
    changesets: unknown[];
    releases: { name: string; type: string }[];
  };
  expect(plan.changesets).toHaveLength(waiting.length);
  const published = PUBLISHED.map((folder) => at(folder).name);
  const raised = plan.releases.filter(({ type }) => type !== 'none');
  for (const { name } of raised) expect(published).toContain(name);
});
