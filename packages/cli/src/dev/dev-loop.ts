import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseEnv } from 'node:util';
import { EXIT_CODES, type ExitCode } from '../failures.js';
import { Child, type Lines, type CommandLine } from './child.js';
import { CompiledOutput, type Watch, watchOutput } from './compiled-output.js';
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

/** How `tsc` ends what it says of code that does not compile. */
const FOUND_ERRORS = /\bFound [1-9]\d* errors?\b/;

/** The variables of `.env`, which servers may read. */
function settingsIn(cwd: string): NodeJS.ProcessEnv {
  const file = join(cwd, '.env');
  return existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
}

/** Compiles at every change, and has the server run that was compiled last. */
export class DevLoop {
  /** Resolves with the exit code once everything has ended. */
  readonly ended: Promise<ExitCode>;
  readonly #output: CompiledOutput;
  readonly #server: DevServer;
  readonly #compiler: Child;
  readonly #watch: Watch;
  /** The output that the server was started with. */
  #served: string | undefined;
  #hasWaited = false;
  /** The sources that there were. */
  readonly #seen = new Set<string>();
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
    this.#server = new DevServer(program, () => addressFor(args, { ...settingsIn(cwd), ...env }), lines, say);
    this.#watch = watchOutput(this.#output, () => this.#refresh());
    this.#compiler = new Child(compiler, {
      out: (line) => {
        lines.out(line);
        if (FOUND_ERRORS.test(line) && this.#server.isRunning) this.say('serving what was compiled last');
      },
      err: lines.err,
    });
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
    await Promise.all([this.#watch.close(), this.#compiler.end(), this.#server.close()]);
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
      await this.#removeOrphans();
      const compiled = await this.#output.fingerprint();
      if (compiled === undefined) this.#waitForEntry();
      if (compiled === undefined || compiled === this.#served) continue;
      this.#served = compiled;
      await this.#server.restart(() => this.#isOutdated);
    }
  }

  /** Removes what was compiled of sources that are gone: a folder given as `discover` would still be served whole. */
  async #removeOrphans(): Promise<void> {
    const sources = await this.#output.sources();
    this.#watch.add(sources.keys());
    for (const [source, files] of sources) {
      const isThere = existsSync(source);
      if (isThere) this.#seen.add(source);
      // Others were never here: a package may bring maps without what they lead to.
      if (isThere || !this.#seen.has(source)) continue;
      const [removed = ''] = files;
      this.say(`removed ${relative(this.options.cwd, removed)}: its source is gone`);
      await Promise.all(files.map((file) => rm(file, { force: true })));
    }
  }

  #waitForEntry(): void {
    if (this.#hasWaited) return;
    this.#hasWaited = true;
    this.say(`waiting for ${relative(this.options.cwd, this.options.entry)}`);
  }
}
