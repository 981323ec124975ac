import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const command = join(
  dirname(createRequire(import.meta.url).resolve('create-mcp-app/package.json')),
  'bin/create-mcp-app.mjs',
);
/** The flags of the command's own install: what is compared is everything else that it does. */
const install = [
  'install',
  '--no-audit',
  '--no-fund',
  '--prefer-offline',
  '--no-progress',
  '--loglevel=error',
];

/** Creates a temporary folder outside the repository. */
export async function temporaryFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'sigil-bench-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Creates a project without installing its dependencies. @returns its folder. */
export async function projectToInstall(folder: string): Promise<string> {
  await createMcpApp(folder, 'to-install', '--no-install', '--no-git');
  return join(folder, 'to-install');
}

/**
 * Copies a project, and installs the dependencies of the copy. @returns the time of the installation, in milliseconds.
 */
export async function installAlone(folder: string, project: string): Promise<number> {
  const copy = join(folder, `install-${randomUUID()}`);
  await cp(project, copy, { recursive: true });
  return timed(copy, () => run('npm', install, { cwd: copy }));
}

/** Runs `create-mcp-app`, which creates a project and calls one of its tools. @returns the time in milliseconds. */
export async function createProject(folder: string): Promise<number> {
  const name = `create-${randomUUID()}`;
  return timed(join(folder, name), () => createMcpApp(folder, name));
}

function createMcpApp(cwd: string, ...args: readonly string[]): Promise<unknown> {
  return run(process.execPath, [command, ...args, '--yes', '--pm', 'npm'], { cwd });
}

/** How long something takes that fills a folder, which is removed afterwards. */
async function timed(folder: string, act: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await act();
  const ms = performance.now() - began;
  await rm(folder, { recursive: true, force: true });
  return ms;
}
