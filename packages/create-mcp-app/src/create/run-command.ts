import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { interrupted, throwIfInterrupted } from '../failures.js';

/** A program, and the arguments to run it with. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
}

/** Options for running a command. */
export interface RunOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** When aborted, ends the command and all processes that the command has started. */
  readonly signal: AbortSignal;
  /** Called whenever output arrives, with its last line, to show the progress of the command. */
  readonly onLine?: (line: string) => void;
}

/** The result of a command. */
export interface CommandResult {
  /** The exit code; `null` if a signal ended the command. */
  readonly exitCode: number | null;
  /**
   * Standard output and standard error together, in the order of arrival. If they have more than about four million
   * characters, the beginning is missing.
   */
  readonly output: string;
  /** The standard output of the command. */
  readonly stdout: string;
}

/** Maximum number of characters of output that are kept. */
const MOST_OUTPUT = 4 * 1024 * 1024;
/** How long a command that was asked to end may take, in milliseconds. */
const GRACE_MS = 3000;
const ON_WINDOWS = process.platform === 'win32';

/**
 * Runs a command to its end.
 *
 * @throws Failure `INTERRUPTED` if the signal was aborted. It is thrown once the command has ended.
 * @throws Error if the program cannot be started.
 */
export async function runCommand({ program, args }: Command, options: RunOptions): Promise<CommandResult> {
  const { cwd, env, signal, onLine } = options;
  throwIfInterrupted(signal);
  // A group of its own, so that its child processes end with it. On Windows package managers are shell scripts.
  const child = spawn(program, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: !ON_WINDOWS,
    shell: ON_WINDOWS && program !== 'git',
  });
  const printed = { output: '', stdout: '' };
  const hear = (text: string): void => {
    printed.output = (printed.output + text).slice(-MOST_OUTPUT);
    const last = text.trimEnd().split('\n').at(-1)?.trim();
    if (last) onLine?.(last);
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed.stdout = (printed.stdout + text).slice(-MOST_OUTPUT);
    hear(text);
  });
  child.stderr.setEncoding('utf8').on('data', hear);
  const stop = (): void => endGroup(child);
  signal.addEventListener('abort', stop);
  try {
    const [exitCode] = (await once(child, 'close')) as [number | null];
    if (signal.aborted) throw interrupted();
    return { exitCode, ...printed };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function endGroup(child: ChildProcess): void {
  const send = (name: NodeJS.Signals): void => {
    if (child.pid === undefined) return;
    try {
      if (ON_WINDOWS) child.kill(name);
      else process.kill(-child.pid, name);
    } catch {
      // It has ended meanwhile.
    }
  };
  send('SIGTERM');
  const force = setTimeout(() => send('SIGKILL'), GRACE_MS);
  child.once('close', () => clearTimeout(force));
}

/** Returns a command as a line for a shell, with quotes where they are needed. */
export function typed({ program, args }: Command): string {
  return [program, ...args].map(quoted).join(' ');
}

/** Returns a word in quotes for a shell, if the word needs them. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Whether a program is on the `PATH` of an environment. */
export function hasProgram(name: string, env: Readonly<Record<string, string | undefined>>): boolean {
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const names = process.platform === 'win32' ? [`${name}.cmd`, `${name}.exe`] : [name];
  return folders.some((folder) => names.some((file) => isExecutable(join(folder, file))));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
