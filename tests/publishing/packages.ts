import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The folders of everything that is published. */
export const PUBLISHED: readonly string[] = readdirSync('packages').map((name) => `packages/${name}`);

/** What the tests look at in a manifest. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly private?: boolean;
  readonly keywords?: readonly string[];
  readonly license?: string;
  readonly engines?: unknown;
  readonly publishConfig?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
}

/** What npm would publish of a package. */
export interface Tarball {
  /** Where it is. */
  readonly path: string;
  /** What it holds, as paths within the package. */
  readonly files: readonly string[];
}

/** The manifest in a folder. */
export function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** Packs a package. @param into an existing folder for the tarball. */
export async function pack(folder: string, into: string): Promise<Tarball> {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', into], { cwd: folder });
  const [packed] = JSON.parse(stdout) as { filename: string; files: { path: string }[] }[];
  if (!packed) throw new Error(`npm packed nothing in ${folder}`);
  return { path: join(into, packed.filename), files: packed.files.map(({ path }) => path).sort() };
}

/**
 * Installs packages as their users do, from what would be published.
 *
 * @param project an existing folder, which gets a package.json.
 * @param names of packages of this repository, without scope: all that the project and these themselves depend on.
 * @param others packages of others, at the versions of this repository.
 */
export async function install(
  project: string,
  names: readonly string[],
  others: readonly string[],
): Promise<void> {
  const tarballs = await Promise.all(names.map((name) => pack(`packages/${name}`, project)));
  const { devDependencies } = manifestIn('.') as { devDependencies?: Readonly<Record<string, string>> };
  const dependencies = Object.fromEntries([
    ...names.map((name, at) => [`@sigil/${name}`, `file:${tarballs[at]?.path}`]),
    ...others.map((name) => [name, devDependencies?.[name]]),
  ]);
  await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module', dependencies }));
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: project });
}
