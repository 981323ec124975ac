import { relative } from 'node:path';
import { EXIT_CODES, type ExitCode } from '../failures.js';
import { Child, type Lines, type CommandLine } from './child.js';
import { CompiledOutput, watchOutput } from './compiled-output.js';
import { addressFor, DevServer } from './dev-server.js';

/** What is compiled and started. */
export interface DevOptions {
  readonly cwd: string;
  /** The file to start, absolute. */
  readonly entry: string;
  /** What it is given as arguments. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** What compiles, and goes on doing so at every change. */
  readonly compiler: CommandLine;
}

/** Compiles at every change, and has the server run that was compiled last. */
export class DevLoop {
  /** Resolves with the exit code once everything has ended. */
  readonly ended: Promise<ExitCode>;
  readonly #output: CompiledOutput;
  readonly #server: DevServer;
  readonly #compiler: Child;
  readonly #stopWatching: () => Promise<void>;
  /** The output that the server was started with. */
  #served: string | undefined;
  #hasWaited = false;
  #turn: Promise<void> | undefined;
  #isOutdated = false;
  #resolve: (code: ExitCode) => void = () => undefined;
  #stopping: Promise<void> | undefined;

  /** @param say takes what happens, a line each. */
  constructor(
    private readonly options: DevOptions,
    lines: Lines,
    private readonly say: (line: string) => void,
  ) {
    const { cwd, entry, args, env, compiler } = options;
    this.ended = new Promise((resolve) => (this.#resolve = resolve));
    this.#output = new CompiledOutput(cwd, entry);
    const program = { command: process.execPath, args: ['--enable-source-maps', entry, ...args], cwd, env };
    this.#server = new DevServer(program, addressFor(args), lines, say);
    this.#stopWatching = watchOutput(this.#output, () => this.#refresh());
    this.#compiler = new Child(compiler, lines);
    void this.#compiler.ended.then((how) => {
      if (this.#compiler.wasAsked) return;
      this.say(`the compiler ended with ${how}: it has to go on watching`);
      this.stop(EXIT_CODES.found);
    });
    this.#refresh();
  }

  /** Ends the compiler and the server. @param code the exit code it is to lead to. */
  stop(code: ExitCode): void {
    this.#stopping ??= this.#end().then(() => this.#resolve(code));
  }

  /** Ends the compiler and the server at once. */
  kill(): void {
    this.#compiler.kill();
    this.#server.kill();
  }

  async #end(): Promise<void> {
    await Promise.all([this.#stopWatching(), this.#compiler.end(), this.#server.close()]);
    await this.#turn;
  }

  /** Has the server started again if there is something new to start. One at a time: what comes meanwhile comes after. */
  #refresh(): void {
    this.#isOutdated = true;
    this.#turn ??= this.#catchUp().finally(() => (this.#turn = undefined));
  }

  async #catchUp(): Promise<void> {
    while (this.#isOutdated && !this.#stopping) {
      this.#isOutdated = false;
      const compiled = await this.#output.fingerprint();
      if (compiled === undefined) this.#waitForEntry();
      if (compiled === undefined || compiled === this.#served) continue;
      this.#served = compiled;
      await this.#server.restart(() => this.#isOutdated);
    }
  }

  #waitForEntry(): void {
    if (this.#hasWaited) return;
    this.#hasWaited = true;
    this.say(`waiting for ${relative(this.options.cwd, this.options.entry)}`);
  }
}
