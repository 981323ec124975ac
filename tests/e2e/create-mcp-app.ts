import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readlinkSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Where the package managers are that the repository installs for its tests. */
const PROGRAMS = join(ROOT, 'node_modules/.bin');

/** The command of the checkout. */
export const COMMAND = join(ROOT, 'packages/create-mcp-app/bin/create-mcp-app.mjs');

/** What a program left. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that runs, and what will have become of it. */
export interface Running {
  readonly child: ChildProcess;
  readonly printed: { stdout: string; stderr: string };
  readonly outcome: Promise<Outcome>;
}

/** How a program is started, beside its folder. */
export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
}

/** A folder outside the repository, gone when it is disposed of. */
export function temporaryFolder(): { path: string } & Disposable {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'create-mcp-app-')));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Starts a program with nothing to read: no terminal, as in a build. */
export function start(
  cwd: string,
  program: string,
  args: readonly string[],
  { env = {} }: StartOptions = {},
): Running {
  const PATH = [env['PATH'], PROGRAMS, process.env['PATH']].filter(Boolean).join(delimiter);
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, NO_COLOR: '1', ...env, PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.stderr += text));
  const outcome = once(child, 'close').then(([code]: unknown[]) => ({
    code: code as number | null,
    ...printed,
  }));
  const running = { child, printed, outcome };
  started.push(running);
  return running;
}

const started: Running[] = [];

/** Ends every program that was started here and still runs; the command ends what it has started itself. */
export async function endStarted(): Promise<void> {
  const left = started.splice(0).filter(({ child }) => child.exitCode === null && child.signalCode === null);
  for (const { child } of left) child.kill('SIGTERM');
  await Promise.all(left.map(({ outcome }) => outcome));
}

/** Runs the command of the checkout to its end. */
export function createMcpApp(cwd: string, args: readonly string[], options?: StartOptions): Promise<Outcome> {
  return start(cwd, process.execPath, [COMMAND, ...args], options).outcome;
}

/** Runs a program to its end. @throws Error with its output when it fails. */
export async function succeed(cwd: string, program: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await start(cwd, program, args).outcome;
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${stdout}\n${stderr}`);
  return stdout;
}

/** Runs the tests of a project. @throws Error when one fails, or when a line of a server's log stands between their results. */
export async function passTests(cwd: string, packageManager: string): Promise<void> {
  const { code, stdout, stderr } = await start(cwd, packageManager, ['test']).outcome;
  const printed = `${stdout}\n${stderr}`;
  if (code !== 0 || printed.includes('"level":')) throw new Error(`test ended with ${code}:\n${printed}`);
}

/** Puts a program into a folder: a script of the shell. */
export function writeProgram(folder: string, name: string, script: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** The ids of processes that work in a folder or below it, as Linux tells. */
export function processesIn(folder: string): string[] {
  return readdirSync('/proc').filter((id) => {
    try {
      return /^\d+$/.test(id) && readlinkSync(`/proc/${id}/cwd`).startsWith(folder);
    } catch {
      return false;
    }
  });
}
