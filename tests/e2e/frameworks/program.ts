import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** A program that serves, in a process of its own. */
export interface Program {
  readonly child: ChildProcess;
  /** The first line that it prints which begins so. */
  line(begins: string): Promise<string>;
  /** Asks it to end, and waits until it has. @returns its exit code. */
  end(): Promise<number | null>;
  /** Ends it at once. */
  kill(): Promise<void>;
}

/** How long a program may take until it says where it serves. */
const START_MS = 25_000;

/** Starts a program. @param from where its lines are read: 1 for standard output. */
export function startProgram(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { cwd = process.cwd(), from = 1 }: { readonly cwd?: string; readonly from?: number } = {},
): Program {
  // What Jest needs of Node is not for others.
  const { NODE_OPTIONS: _options, ...inherited } = process.env;
  const child = spawn(command, args, {
    cwd,
    env: { ...inherited, ...env },
    stdio: ['ignore', from === 1 ? 'pipe' : 'inherit', 'inherit', 'pipe'],
  });
  const ended = once(child, 'close') as Promise<[number | null]>;
  const lines = createInterface(child.stdio[from] as Readable);
  return {
    child,
    async line(begins) {
      const found = new Promise<string>((resolve) =>
        lines.on('line', (line) => line.startsWith(begins) && resolve(line)),
      );
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<undefined>(
        (resolve) => (timer = setTimeout(() => resolve(undefined), START_MS)),
      );
      const line = await Promise.race([found, ended.then(() => undefined), late]);
      clearTimeout(timer);
      if (line !== undefined) return line;
      child.kill('SIGKILL');
      throw new Error(`${command} ended, or took too long, before it said ${begins}`);
    },
    async end() {
      child.kill('SIGTERM');
      return (await ended)[0];
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Where programs of other runtimes are installed, by `npm run test:all` and `npm run test:anywhere`. */
const INSTALLED = createRequire(resolve('tests/anywhere/package.json'));

/** A program that comes in a package for this platform, where it is installed: there is one for few platforms. */
export function programOf(packageName: string, path: string): string | undefined {
  try {
    const manifest = INSTALLED.resolve(`${packageName}/package.json`);
    const program = join(dirname(manifest), path);
    return existsSync(program) ? program : undefined;
  } catch {
    return undefined;
  }
}
