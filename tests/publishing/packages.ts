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

/** Folders of packages, and of all packages of this repository that they depend on. */
function withDependencies(folders: readonly string[]): readonly string[] {
  const found = new Set(folders);
  // A set that grows while it is iterated yields what was added, too.
  for (const folder of found) {
    const dependencies = Object.keys(manifestIn(folder).dependencies ?? {});
    for (const other of PUBLISHED) if (dependencies.includes(manifestIn(other).name)) found.add(other);
  }
  return [...found];
}

/**
 * Installs packages as their users do, from what would be published.
 *
 * @param project an existing folder, which gets a package.json.
 * @param names folders of packages of this repository that the project uses. What they depend on is installed from this repository, too.
 * @param others packages of others, at the versions of this repository.
 */
export async function install(
  project: string,
  names: readonly string[],
  others: readonly string[],
): Promise<void> {
  const folders = withDependencies(names.map((name) => `packages/${name}`));
  const tarballs = await Promise.all(folders.map((folder) => pack(folder, project)));
  const { devDependencies } = manifestIn('.') as { devDependencies?: Readonly<Record<string, string>> };
  const dependencies = Object.fromEntries([
    ...folders.map((folder, at) => [manifestIn(folder).name, `file:${tarballs[at]?.path}`]),
    ...others.map((name) => [name, devDependencies?.[name]]),
  ]);
  await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module', dependencies }));
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: project });
}
