import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { HAS_GROUPS, signalGroup } from '../program/process-group.js';
import type { Terminal } from '../terminal.js';

/** How long a process that was asked to end may take, in milliseconds. */
const GRACE_MS = 3_000;
/** How long the output of a process that has ended is waited for, in milliseconds: others may hold it open. */
const REST_MS = 500;

/** A program to run. */
export interface CommandLine {
  readonly command: string;
  /** Absent when `command` is a line for the shell. */
  readonly args?: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The output of a program's lines. */
export type Lines = Pick<Terminal, 'out' | 'err'>;

/** A running program and whatever it has started: they end together. */
export class Child {
  /** Resolves after its end, with the reason, such as `exit code 1`. */
  readonly ended: Promise<string>;
  readonly #process: ChildProcess;
  #isRunning = true;
  #wasAsked = false;

  constructor({ command, args, cwd, env }: CommandLine, lines: Lines) {
    this.#process = spawn(command, args ?? [], {
      cwd,
      env,
      shell: args === undefined,
      // A group of its own can be signalled as a whole, and Ctrl-C reaches it through us alone.
      detached: HAS_GROUPS,
      // An input that stays open, so that a server on standard streams does not end.
      stdio: 'pipe',
    });
    const { stdin, stdout, stderr } = this.#process;
    stdin?.on('error', () => undefined);
    // Also when this command fails itself.
    const kill = (): void => this.kill();
    process.once('exit', kill);
    if (stdout) createInterface(stdout).on('line', (line) => lines.out(line));
    if (stderr) createInterface(stderr).on('line', (line) => lines.err(line));
    this.ended = this.#end().finally(() => process.off('exit', kill));
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Whether it was asked to end. */
  get wasAsked(): boolean {
    return this.#wasAsked;
  }

  /** Asks it to end, and makes it when it does not. */
  async end(): Promise<void> {
    this.#wasAsked = true;
    this.#signal('SIGTERM');
    const force = setTimeout(() => this.kill(), GRACE_MS);
    await this.ended;
    clearTimeout(force);
  }

  /** Ends it at once. */
  kill(): void {
    this.#wasAsked = true;
    this.#signal('SIGKILL');
  }

  async #end(): Promise<string> {
    const closed = once(this.#process, 'close').catch(() => undefined);
    const [code, signal] = await once(this.#process, 'exit').catch((error: unknown) => [String(error)]);
    const late = new Promise((resolve) => setTimeout(resolve, REST_MS).unref());
    await Promise.race([closed, late]);
    // A leftover process would keep its port and its files.
    this.#signal('SIGKILL');
    this.#isRunning = false;
    if (typeof code === 'number') return `exit code ${code}`;
    return String(code ?? signal);
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#process;
    if (pid !== undefined && this.#isRunning) signalGroup(pid, signal);
  }
}
