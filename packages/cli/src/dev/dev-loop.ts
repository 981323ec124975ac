import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseEnv } from 'node:util';
import type { Manifest } from '@sigil/core/manifest';
import { checkManifest, type CheckReport } from '../check/check-manifest.js';
import { DEFAULT_BUDGET } from '../check/check-tool.js';
import { EXIT_CODES, type ExitCode } from '../failures.js';
import { manifestOfProgram } from '../program/manifest.js';
import { Child, type CommandLine } from './child.js';
import { Compilation } from './compilation.js';
import { CompiledOutput, type Watch, watchOutput } from './compiled-output.js';
import { addressFor, DevServer } from './dev-server.js';
import type { DevState } from './dev-state.js';
import { EventsWatch } from './events-watch.js';

/** Options of `DevLoop`. */
export interface DevOptions {
  readonly cwd: string;
  /** The absolute path of the file to start. */
  readonly entry: string;
  /** The arguments of the program. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The command that starts the compiler in watch mode. */
  readonly compiler: CommandLine;
}

/** The definitions of a program. */
export interface Served {
  readonly manifest: Manifest;
  /** The findings of `sigil check`, and the estimated number of tokens of each tool. */
  readonly report: CheckReport;
}

/** The environment variable with the token of a server's events. */
const EVENTS_TOKEN = 'SIGIL_EVENTS_TOKEN';
/** Maximum time for the program to report its definitions, in milliseconds. */
const DESCRIBE_MS = 10_000;

/** Returns the variables in `.env`, which servers may read. */
function settingsIn(cwd: string): NodeJS.ProcessEnv {
  const file = join(cwd, '.env');
  return existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
}

/**
 * Runs the server, and a compiler in watch mode. Restarts the server when its compiled files or its `.env` file have
 * changed.
 */
export class DevLoop {
  /** Resolves with the exit code once everything has ended. */
  readonly ended: Promise<ExitCode>;
  readonly #output: CompiledOutput;
  readonly #server: DevServer;
  readonly #compiler: Child;
  readonly #watch: Watch;
  readonly #events: EventsWatch;
  readonly #ending = new AbortController();
  /** A hash of the output of the running server. */
  #started: string | undefined;
  #served: { readonly starts: number; readonly answer: Promise<Served> } | undefined;
  #hasWaited = false;
  /** The sources that have existed at any time. */
  readonly #seen = new Set<string>();
  #turn: Promise<void> | undefined;
  #isOutdated = false;
  #resolve: (code: ExitCode) => void = () => undefined;
  #stopping: Promise<void> | undefined;

  /** @param state receives the events of the loop. */
  constructor(
    private readonly options: DevOptions,
    readonly state: DevState,
  ) {
    const { cwd, entry, args, compiler } = options;
    this.ended = new Promise((resolve) => (this.#resolve = resolve));
    this.#output = new CompiledOutput(cwd, entry);
    const settings = (): NodeJS.ProcessEnv => ({ ...settingsIn(cwd), ...options.env });
    const token = settings()[EVENTS_TOKEN] || randomBytes(32).toString('base64url');
    const program = {
      command: process.execPath,
      args: ['--enable-source-maps', entry, ...args],
      cwd,
      // The log is for people, with stacks of errors in several lines. Read at each start, because `.env` may have
      // changed.
      get env() {
        return { ...options.env, LOG_FORMAT: settings()['LOG_FORMAT'] || 'text', [EVENTS_TOKEN]: token };
      },
    };
    this.#events = new EventsWatch(state, token);
    this.#server = new DevServer(program, () => addressFor(args, settings()), state);
    this.#watch = watchOutput(this.#output, () => this.#refresh());
    const compilation = new Compilation(state);
    this.#compiler = new Child(compiler, {
      out: (line) => compilation.read(line),
      err: (line) => state.write('compiler', line, true),
    });
    void this.#compiler.ended.then((how) => {
      if (this.#compiler.wasAsked) return;
      state.write('sigil', `the compiler ended with ${how}, but it must keep running in watch mode`);
      this.stop(EXIT_CODES.found);
    });
    this.#refresh();
  }

  /**
   * Returns the definitions of the program. To get them, starts a second process of the program next to the server. The
   * result is kept until the server is restarted.
   *
   * @throws ServerError when the program fails, or does not answer in time.
   */
  async served(): Promise<Served> {
    // This starts the program a second time, which might take something that the server needs, such as a port.
    await this.#settled();
    const { starts } = this.state;
    if (this.#served?.starts !== starts) this.#served = { starts, answer: this.#describe() };
    return this.#served.answer;
  }

  /** Restarts the server, even if its compiled files have not changed. */
  restart(): void {
    this.#started = undefined;
    this.#refresh();
  }

  /** Ends the compiler and the server. @param code the exit code. */
  stop(code: ExitCode): void {
    this.#stopping ??= this.#end().then(() => this.#resolve(code));
  }

  /** Kills the compiler and the server immediately. */
  kill(): void {
    this.#compiler.kill();
    this.#server.kill();
  }

  async #describe(): Promise<Served> {
    const { entry, cwd } = this.options;
    const asked = { timeoutMs: DESCRIBE_MS, cwd, signal: this.#ending.signal };
    const manifest = await manifestOfProgram(entry, asked);
    return { manifest, report: checkManifest(manifest, { budget: DEFAULT_BUDGET }) };
  }

  /** Waits until the server listens, has failed, or waits for its port. */
  #settled(): Promise<void> {
    const { state } = this;
    return new Promise((resolve) => {
      const check = (): void => {
        if (state.server.status === 'starting' && state.server.reason === undefined) return;
        unsubscribe();
        resolve();
      };
      const unsubscribe = state.subscribe({ statusChanged: check });
      check();
    });
  }

  async #end(): Promise<void> {
    this.#events.close();
    this.#ending.abort();
    await Promise.all([this.#watch.close(), this.#compiler.end(), this.#server.close()]);
    await this.#turn;
  }

  /** Restarts the server if there is new output. Restarts run one after another. */
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
      if (compiled === undefined || compiled === this.#started) continue;
      this.#started = compiled;
      await this.#server.restart(() => this.#isOutdated);
    }
  }

  /** Removes the output of deleted sources, because a folder in `discover` would still serve it. */
  async #removeOrphans(): Promise<void> {
    const sources = await this.#output.sources();
    this.#watch.add(sources.keys());
    for (const [source, files] of sources) {
      const isThere = existsSync(source);
      if (isThere) this.#seen.add(source);
      // Other sources have never existed here: a package may contain source maps without sources.
      if (isThere || !this.#seen.has(source)) continue;
      const [removed = ''] = files;
      this.state.write(
        'sigil',
        `removed ${relative(this.options.cwd, removed)}, because its source was deleted`,
      );
      await Promise.all(files.map((file) => rm(file, { force: true })));
    }
  }

  #waitForEntry(): void {
    if (this.#hasWaited) return;
    this.#hasWaited = true;
    this.state.write('sigil', `waiting for ${relative(this.options.cwd, this.options.entry)}`);
  }
}
