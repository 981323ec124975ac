import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../failures.js';
import { isObject, parseJson } from '../json.js';
import { runCommand } from '../process/run-command.js';
import type { Checkout, LocalPackage } from './checkout.js';
import { contentHash } from './content-hash.js';

/** A package as npm packs it. */
export interface Tarball {
  /** Such as `sigil-core.tgz`. */
  readonly file: string;
  readonly content: Uint8Array;
}

/** How packing is run. */
export interface PackOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/**
 * Packs packages of a checkout as they would be published. What has not changed since the last time is not packed again.
 *
 * @returns tarballs by the names of the packages.
 * @throws Failure `NO_LOCAL_PACKAGES` when npm cannot pack them.
 */
export async function packPackages(
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
