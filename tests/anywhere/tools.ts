import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MANIFESTS = resolve('tests/anywhere/tools');
const FOLDER = resolve('node_modules/.cache/anywhere');
const DONE = join(FOLDER, 'installed.json');

/**
 * Installs runtimes, bundlers and compilers, once for each lock file. They are no dependencies of the repository: those of Node would be
 * taken for the one that runs its scripts, and together they are larger than all the rest.
 */
export async function installTools(): Promise<void> {
  const lock = await readFile(join(MANIFESTS, 'package-lock.json'), 'utf8');
  if (existsSync(DONE) && (await readFile(DONE, 'utf8')) === lock) return;
  await mkdir(FOLDER, { recursive: true });
  for (const name of ['package.json', 'package-lock.json'])
    await cp(join(MANIFESTS, name), join(FOLDER, name));
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts'];
  // Not `npm ci`: it refuses a lock file without the binaries of platforms that a registry does not carry.
  await run('npm', ['install', ...flags], { cwd: FOLDER, env: { ...process.env, NODE_OPTIONS: '' } });
  await writeFile(DONE, lock);
}

/** The manifest of what was installed: where its packages are looked for. */
export const TOOLS: string = join(FOLDER, 'package.json');

/** A file within what was installed. */
export const toolFile = (path: string): string => join(FOLDER, 'node_modules', path);

/** Imports a package that was installed; its own types are not here. */
export async function tool<T>(name: string): Promise<T> {
  const file = createRequire(TOOLS).resolve(name);
  return (await import(pathToFileURL(file).href)) as T;
}
