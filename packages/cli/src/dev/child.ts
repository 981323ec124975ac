import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { HAS_GROUPS, signalGroup } from '../program/process-group.js';
import type { Terminal } from '../terminal.js';

/** How long a process that was asked to end may take, in milliseconds. */
const GRACE_MS = 3_000;
/**
 * How long to wait for the output of a process that has ended, in milliseconds: other processes may hold the output
 * open.
 */
const REST_MS = 500;

/** A program to run. */
export interface CommandLine {
  readonly command: string;
  /** The arguments; absent if `command` is a command line for the shell. */
  readonly args?: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The functions that write the output lines of a program. */
export type Lines = Pick<Terminal, 'out' | 'err'>;

/** A running program and all processes that it has started. They end together. */
export class Child {
  /** Resolves with the reason, such as `exit code 1`, when the program has ended. */
  readonly ended: Promise<string>;
  readonly #process: ChildProcess;
  #isRunning = true;
  #wasAsked = false;

  constructor({ command, args, cwd, env }: CommandLine, lines: Lines) {
    this.#process = spawn(command, args ?? [], {
      cwd,
      env,
      shell: args === undefined,
      // A separate process group can be signalled as a whole, and Ctrl-C only reaches it through this process.
      detached: HAS_GROUPS,
      // The input stays open, so that a server on standard streams does not end.
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

  /** Whether the program was asked to end. */
  get wasAsked(): boolean {
    return this.#wasAsked;
  }

  /** Asks the program to end, and kills the program if it does not end in time. */
  async end(): Promise<void> {
    this.#wasAsked = true;
    this.#signal('SIGTERM');
    const force = setTimeout(() => this.kill(), GRACE_MS);
    await this.ended;
    clearTimeout(force);
  }

  /** Kills the program immediately. */
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
