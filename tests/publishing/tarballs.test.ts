import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, posix } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { publint } from 'publint';
import { manifestIn, pack, PUBLISHED, type Tarball } from './packages.js';

const run = promisify(execFile);

// Packs every package, and runs tools on each.
jest.setTimeout(60_000);

/** Every kind of file that a package may hold, and must where it is not optional. */
const KINDS: readonly (readonly [kind: string, pattern: RegExp, packages?: readonly string[]])[] = [
  ['manifest', /^package\.json$/],
  ['README', /^README\.md$/],
  ['license', /^LICENSE$/],
  ['program', /^bin\/[a-z-]+\.mjs$/, ['cli', 'create-mcp-app']],
  ['code', /^dist\/(bundle\/([\w-]+\/)*[\w-]+\.js|(?!bundle\/)([\w-]+\/)*[\w-]+\.cjs)$/],
  ['map of code', /^dist\/(bundle\/([\w-]+\/)*[\w-]+\.js|(?!bundle\/)([\w-]+\/)*[\w-]+\.cjs)\.map$/],
  ['types', /^dist\/(?!bundle\/)([\w-]+\/)*[\w-]+\.d\.c?ts$/],
  ['map of types', /^dist\/(?!bundle\/)([\w-]+\/)*[\w-]+\.d\.c?ts\.map$/],
  ["page of 'sigil dev'", /^dist\/browser\/[\w-]+\.(html|css|js|svg)$/, ['cli']],
  ['source, for the maps', /^src\/([\w-]+\/)*[\w-]+(\.d)?\.c?ts$/],
  [
    'addition to templates',
    /^additions\/(?!.*(^|\/)(node_modules|dist|\.git)\/)[^/]+\/.+/,
    ['create-mcp-app'],
  ],
  ['template', /^templates\/(?!.*(^|\/)(node_modules|dist|\.git)\/)(?!.*\.tsbuildinfo$)/, ['create-mcp-app']],
];

/** Statements of a bundle that pass on what other files have. */
const FORWARDING = /^(?:im|ex)port (?:\{[^}]*\}(?: from )?)?(?:"[^"]+")?;$/gm;

const into = mkdtempSync(join(tmpdir(), 'sigil-pack-'));
afterAll(() => rmSync(into, { recursive: true, force: true }));

describe.each(PUBLISHED)('what is published of %s', (folder) => {
  let tarball: Tarball;
  beforeAll(async () => {
    tarball = await pack(folder, into);
  });
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8');

  test('is of known kinds, and of all that belong to it', () => {
    const kindOf = (path: string): string => KINDS.find(([, pattern]) => pattern.test(path))?.[0] ?? path;
    const wanted = KINDS.filter(([, , only]) => !only || only.includes(basename(folder)));
    expect([...new Set(tarball.files.map(kindOf))].sort()).toEqual(wanted.map(([kind]) => kind).sort());
  });

  test('has no map without its code, no code without its map, and no map of what is not there', () => {
    // Files that only pass on what others have need none, nor does what a browser loads minified.
    const hasCode = (path: string): boolean => read(path).replace(FORWARDING, '').trim() !== '';
    for (const path of tarball.files.filter(
      (each) => /^dist\/(?!browser\/).*\.(js|d\.ts)$/.test(each) && hasCode(each),
    )) {
      const map = /\/\/# sourceMappingURL=(\S+)\s*$/.exec(read(path))?.[1];
      expect([path, map]).toEqual([path, `${posix.basename(path)}.map`]);
      expect(tarball.files).toContain(`${path}.map`);
    }
    for (const path of tarball.files.filter((each) => /^dist\/.*\.map$/.test(each))) {
      expect(tarball.files).toContain(path.replace(/\.map$/, ''));
      const { sources } = JSON.parse(read(path)) as { sources: string[] };
      // The sources of what others wrote are theirs to publish.
      const ours = sources.filter((source) => !source.includes('/node_modules/'));
      const missing = ours.filter(
        (source) => !tarball.files.includes(posix.join(posix.dirname(path), source)),
      );
      expect([path, missing]).toEqual([path, []]);
    }
  });

  test('says what it is, and under which license', () => {
    expect(read('README.md')).toMatch(new RegExp(`^# ${manifestIn(folder).name}\n\n[A-Z]`));
    expect(read('LICENSE')).toBe(readFileSync('LICENSE', 'utf8'));
    expect(manifestIn(folder)).toMatchObject({
      description: expect.stringMatching(/^[A-Z].*[^.]$/),
      license: 'MIT',
      keywords: expect.arrayContaining(['mcp', 'model-context-protocol']),
      engines: { node: '>=20.19' },
      publishConfig: { access: 'public', provenance: true },
    });
    expect(manifestIn(folder)).not.toHaveProperty('private');
  });

  test('runs nothing when it is installed', () => {
    const scripts = Object.keys(manifestIn(folder).scripts ?? {});
    expect(scripts.filter((name) => /^(pre|post)?(install|prepare)$/.test(name))).toEqual([]);
  });

  test('is clean to publint', async () => {
    const bytes = readFileSync(tarball.path);
    const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const { messages } = await publint({ pack: { tarball: data }, strict: true });
    expect(messages).toEqual([]);
  });

  test('has types that resolve wherever ES modules do', async () => {
    const attw = join('tests/anywhere/node_modules/@arethetypeswrong/cli/dist/index.js');
    const args = [attw, tarball.path, '--profile', 'esm-only', '--format', 'json'];
    const { stdout } = await run(process.execPath, args).catch((error: { stdout: string }) => error);
    expect(stdout).not.toBe('');
    const { problems } = JSON.parse(stdout) as { problems: Record<string, { resolutionKind?: string }[]> };
    const counted = Object.values(problems ?? {})
      .flat()
      .filter(({ resolutionKind }) => resolutionKind !== 'node10' && resolutionKind !== 'node16-cjs');
    expect(counted).toEqual([]);
  });

  test('has a manifest in which npm corrects nothing', async () => {
    const copy = mkdtempSync(join(into, 'manifest-'));
    copyFileSync(join(folder, 'package.json'), join(copy, 'package.json'));
    await run('npm', ['pkg', 'fix'], { cwd: copy });
    expect(manifestIn(copy)).toEqual(manifestIn(folder));
  });
});
