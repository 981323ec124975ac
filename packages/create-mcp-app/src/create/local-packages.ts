import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '../failures.js';
import { isObject, parseJson } from '../json.js';
import { dependencyNames, type Manifest, ownFolder, readManifest } from '../package-json.js';
import type { PackageManagerName } from '../package-managers.js';
import type { ProjectFiles } from '../write-project.js';
import type { Choices } from './choose.js';
import { runCommand } from './run-command.js';

/** Options for packing packages from a checkout of Sigil's repository. */
export interface PackOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/**
 * Makes a project use the packages of the checkout that contains this package. The packages are packed as
 * tarballs in the project's folder `vendor/`. Outside of a checkout, the files do not change.
 *
 * @throws Failure `NO_LOCAL_PACKAGES` if `--local` is used outside of a checkout, or if packages are not
 * built.
 */
export async function withLocalPackages(
  files: ProjectFiles,
  { local, packageManager }: Pick<Choices, 'local' | 'packageManager'>,
  options: PackOptions,
): Promise<ProjectFiles> {
  // In a checkout the packages that lie beside this one are meant, which no registry may have.
  const checkout = findCheckout();
  if (!checkout) {
    if (!local) return files;
    throw new Failure(
      'NO_LOCAL_PACKAGES',
      '--local is for a checkout of Sigil, and this command was installed from a registry: leave the flag out',
    );
  }
  const manifest = readManifest(String(files.get('package.json')));
  const needed = packagesNeeded(checkout, manifest ? dependencyNames(manifest) : []);
  return pointToVendor(files, await packPackages(checkout, needed, options), packageManager);
}

/** A package in a checkout. */
interface LocalPackage {
  readonly folder: string;
  readonly manifest: Manifest;
}

/** A checkout of Sigil's repository: its packages by their names. */
interface Checkout {
  readonly root: string;
  readonly packages: ReadonlyMap<string, LocalPackage>;
}

/** Returns the checkout of Sigil's repository that contains this package; `undefined` outside of a checkout. */
export function findCheckout(folder: string = ownFolder()): Checkout | undefined {
  const siblings = dirname(folder);
  const packages = new Map<string, LocalPackage>();
  for (const name of readdirSync(siblings)) {
    const path = join(siblings, name, 'package.json');
    const manifest = existsSync(path) ? readManifest(readFileSync(path, 'utf8')) : undefined;
    // The command sigil needs this package, too.
    if (manifest?.name?.startsWith('@sigil/') || manifest?.name === 'create-mcp-app') {
      packages.set(manifest.name, { folder: join(siblings, name), manifest });
    }
  }
  return packages.has('@sigil/core') ? { root: dirname(siblings), packages } : undefined;
}

/**
 * Returns the packages that a project needs from a checkout: its dependencies, and their dependencies.
 *
 * @param named the names of the project's dependencies.
 *
 * @throws Failure `NO_LOCAL_PACKAGES` if one of the needed packages is not built.
 */
export function packagesNeeded(checkout: Checkout, named: readonly string[]): Map<string, LocalPackage> {
  const needed = new Map<string, LocalPackage>();
  const add = (name: string): void => {
    const found = checkout.packages.get(name);
    if (!found || needed.has(name)) return;
    needed.set(name, found);
    const { dependencies, peerDependencies } = found.manifest;
    for (const inner of Object.keys({ ...dependencies, ...peerDependencies })) add(inner);
  };
  named.forEach(add);
  const unbuilt = [...needed].filter(([, { folder }]) => !existsSync(join(folder, 'dist', 'bundle')));
  if (unbuilt.length > 0) {
    const names = unbuilt.map(([name]) => name).join(', ');
    throw new Failure('NO_LOCAL_PACKAGES', `${names} is not built: run npm run build in ${checkout.root}`);
  }
  return needed;
}

/** A package as npm packs it. */
interface Tarball {
  /** The file name, such as `sigil-core.tgz`. */
  readonly file: string;
  readonly content: Uint8Array;
}

/**
 * Packs packages of a checkout as they would be published. Unchanged packages are not packed again.
 *
 * @returns tarballs by the names of the packages.
 * @throws Failure `NO_LOCAL_PACKAGES` when npm cannot pack them.
 */
async function packPackages(
  { root }: Checkout,
  packages: ReadonlyMap<string, LocalPackage>,
  options: PackOptions,
): Promise<Map<string, Tarball>> {
  const cache = join(root, 'node_modules', '.cache', 'create-mcp-app');
  const hashed = await Promise.all(
    [...packages].map(async ([name, { folder }]) => {
      const file = `${name.replace('@', '').replace('/', '-')}.tgz`;
      return { name, file, path: join(cache, `${await contentHash(folder)}-${file}`) };
    }),
  );
  await mkdir(cache, { recursive: true });
  const missing = hashed.filter(({ path }) => !existsSync(path));
  if (missing.length > 0) {
    const paths = new Map(missing.map(({ name, path }) => [name, path]));
    await packInto(cache, root, paths, options);
  }
  const contents = await Promise.all(hashed.map(({ path }) => readFile(path)));
  return new Map(
    hashed.map(({ name, file }, at) => [name, { file, content: contents[at] ?? new Uint8Array() }]),
  );
}

async function packInto(
  cache: string,
  cwd: string,
  paths: ReadonlyMap<string, string>,
  options: PackOptions,
): Promise<void> {
  const folder = await mkdtemp(join(cache, 'packing-'));
  try {
    const workspaces = [...paths.keys()].map((name) => `--workspace=${name}`);
    const args = ['pack', ...workspaces, '--ignore-scripts', '--json', '--pack-destination', folder];
    const { exitCode, stdout, output } = await runCommand({ program: 'npm', args }, { ...options, cwd });
    const packed = parseJson(stdout);
    if (exitCode !== 0 || !Array.isArray(packed)) {
      throw new Failure('NO_LOCAL_PACKAGES', `npm could not pack the packages of ${cwd}`, output.split('\n'));
    }
    for (const entry of packed.filter(isObject)) {
      const path = paths.get(String(entry['name']));
      if (path !== undefined) await rename(join(folder, String(entry['filename'])), path);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Returns a hash of the files in a folder, without dependencies and tests: of everything that a package could
 * contain.
 */
async function contentHash(folder: string): Promise<string> {
  const paths = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/[\\/](node_modules|test|\.tsbuildinfo)([\\/]|$)/.test(path.slice(folder.length)))
    .sort();
  const contents = await Promise.all(paths.map((path) => readFile(path)));
  const hash = createHash('sha256');
  contents.forEach((content, at) =>
    hash.update(`${paths[at]?.slice(folder.length)}\0${content.length}\0`).update(content),
  );
  return hash.digest('hex').slice(0, 16);
}

const FIELDS = ['dependencies', 'devDependencies'] as const;

type Ranges = Record<string, string>;

/**
 * Makes the dependencies of a project refer to the tarballs in its folder `vendor/`. Dependencies between the packed
 * packages also refer to the tarballs.
 *
 * @param files the files of the project, with its `package.json`.
 */
export function pointToVendor(
  files: ProjectFiles,
  tarballs: ReadonlyMap<string, Tarball>,
  packageManager: PackageManagerName,
): ProjectFiles {
  const specs = new Map([...tarballs].map(([name, { file }]) => [name, `file:vendor/${file}`]));
  const manifest = JSON.parse(String(files.get('package.json'))) as Record<string, Ranges>;
  for (const field of FIELDS) {
    for (const name of Object.keys(manifest[field] ?? {})) {
      const spec = specs.get(name);
      if (spec !== undefined) (manifest[field] ??= {})[name] = spec;
    }
  }
  const changed = new Map(files);
  const all = Object.fromEntries(specs);
  if (packageManager === 'pnpm') {
    const overrides = Object.entries(all).map(([name, spec]) => `  '${name}': ${spec}`);
    const settings = files.get('pnpm-workspace.yaml');
    changed.set(
      'pnpm-workspace.yaml',
      [...(settings ? [String(settings).trimEnd()] : []), 'overrides:', ...overrides, ''].join('\n'),
    );
  } else {
    const indirect = Object.entries(all).filter(([name]) => !FIELDS.some((field) => manifest[field]?.[name]));
    // npm refuses an override of a project's own dependency; yarn and bun need one there too.
    manifest[packageManager === 'yarn' ? 'resolutions' : 'overrides'] =
      packageManager === 'npm' ? Object.fromEntries(indirect) : all;
  }
  changed.set('package.json', `${JSON.stringify(manifest, undefined, 2)}\n`);
  for (const { file, content } of tarballs.values()) changed.set(`vendor/${file}`, content);
  return changed;
}
