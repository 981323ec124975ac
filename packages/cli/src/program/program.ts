import { type ChildProcessWithoutNullStreams, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '@sigil/core/internal';
import { type ReportedProblem, ServerError, UsageError } from '../failures.js';
import { parseMessage } from '../exact-numbers.js';
import type { Authorization } from '../login/authorization.js';
import { HttpServer } from './http-server.js';
import { AskedServer } from './asked-server.js';
import { LineCutter } from './lines.js';
import { HAS_GROUPS, signalGroup } from './process-group.js';

/** A server: the path of a program for Node, a URL, or the words of a command line that starts a server over stdio. */
export type ServerAddress = string | readonly string[] | URL;

/** Options for a question to a server. */
export interface AskOptions {
  /**
   * Maximum milliseconds from the start of the question to the server's answer. Afterwards, the question fails with a
   * `ServerError`.
   */
  readonly timeoutMs: number;
  /** The folder that a program runs in. @default the working directory of this process */
  readonly cwd?: string;
  /** Headers of requests to a URL, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Aborts the question, and kills the program immediately. */
  readonly signal?: AbortSignal;
  /** The login whose access token is sent with each request to the server's URL. */
  readonly authorization?: Authorization;
  /**
   * Called if the server declares a capability but refuses its list. The function receives the list method, such as
   * `tools/list`, and the reason. If absent, the refusal is an error.
   */
  readonly onRefused?: (method: string, why: string) => void;
}

/**
 * Asks a server a question. Unless `server` is a URL, starts a program for the question. The program runs in its own
 * process group, so that Ctrl-C does not reach it. The whole group ends when the question or this process ends.
 *
 * @param question the environment variables that contain the question. A program without Sigil ignores them, and serves
 *   over stdio.
 * @param ask a function that asks the server, and returns the answer. The function can call `stopClock` when the server
 *   is up. From then on, there is no time limit.
 * @throws UsageError if there is no such program.
 * @throws ServerError if the server fails, or does not answer in time.
 */
export async function askProgram<T>(
  server: ServerAddress,
  question: Readonly<Record<string, string>>,
  { timeoutMs, cwd, headers = {}, authorization, signal }: AskOptions,
  ask: (program: AskedServer, stopClock: () => void) => Promise<T>,
): Promise<T> {
  if (signal?.aborted) throw new ServerError(ENDED);
  // Standard streams are used, even if the environment sets another transport.
  const env = { ...process.env, MCP_TRANSPORT: 'stdio', ...question };
  const program =
    server instanceof URL
      ? new HttpServer(server, { headers, authorization })
      : new Program(commandOf(server), { env, cwd });
  const stop = new AbortController();
  const late = new Promise<never>((_, reject) => {
    const limit = `within ${timeoutMs / 1000} s`;
    const why =
      server instanceof URL
        ? `${server.href} did not answer ${limit}: it must serve MCP over HTTP`
        : `the program did not answer ${limit}: it must call app.run(), or serve MCP over stdio (for a server over HTTP, use sigil list --url)`;
    const timer = setTimeout(() => reject(new ServerError(why)), timeoutMs);
    stop.signal.addEventListener('abort', () => clearTimeout(timer));
    const ended = (): void => {
      program.kill();
      reject(new ServerError(ENDED));
    };
    signal?.addEventListener('abort', ended, { signal: stop.signal });
  });
  try {
    return await Promise.race([ask(program, () => stop.abort()), program.failed, late]);
  } finally {
    stop.abort();
    await program.end();
  }
}

const ENDED = 'the question was ended';

function commandOf(server: string | readonly string[]): readonly string[] {
  if (typeof server !== 'string') return server;
  const path = resolve(server);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile()) return [process.execPath, path];
  if (found)
    throw new UsageError(`${server} is not a file: use the path of a program file, such as dist/main.js`);
  throw new UsageError(`there is no file ${server}: compile first, or choose another program`);
}

const MOST_STDERR = 64 * 1024;
/** How many lines from a failed program are shown. */
const MOST_LINES = 20;
/**
 * How long a program may take to end after the end of its input, in milliseconds. MCP clients wait for the same time.
 */
const GRACE_MS = 2000;

/**
 * A server's program that runs as a child process. It reads the output as lines of JSON, and reports why the program
 * failed.
 */
class Program extends AskedServer {
  readonly failed: Promise<never>;
  readonly #child: ChildProcessWithoutNullStreams;
  #stderr = '';

  readonly #kill = (): void => this.kill();

  constructor([command = '', ...args]: readonly string[], options: Pick<SpawnOptions, 'env' | 'cwd'>) {
    super();
    this.#child = spawn(command, args, { ...options, detached: HAS_GROUPS, stdio: 'pipe' });
    if (this.#child.pid !== undefined) process.on('exit', this.#kill);
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (this.#stderr.length < MOST_STDERR) this.#stderr += text;
    });
    // A program that answers and ends does not read its input.
    this.#child.stdin.on('error', () => undefined);
    // Not node:readline: newer versions also end lines at U+2028 and U+2029, which can occur in JSON strings.
    const cutter = new LineCutter();
    const tooLong = new Promise<never>((_, reject) => {
      this.#child.stdout
        .setEncoding('utf8')
        .on('data', (chunk: string) => {
          try {
            for (const line of cutter.cut(chunk)) this.receive(parseMessage(line));
          } catch (error) {
            reject(error as Error);
            this.kill();
          }
        })
        .on('end', () => this.receive(parseMessage(cutter.rest())));
    });
    const closed = once(this.#child, 'close').then(
      ([code]: unknown[]) => {
        throw this.#failure(code as number | null);
      },
      (error: unknown) => {
        throw new ServerError(`${command} cannot be started: ${messageOf(error)}`);
      },
    );
    this.failed = Promise.race([tooLong, closed]);
    this.failed.catch(() => undefined);
  }

  /** Sends a message as a line. */
  send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  cancel(_id: string, notification: object): Promise<void> {
    this.send(notification);
    return Promise.resolve();
  }

  /** Ends the program: closes its input, and kills it if that is not enough. Its child processes end with it. */
  async end(): Promise<void> {
    const { exitCode, signalCode, stdin, stdout, stderr, pid } = this.#child;
    if (pid === undefined) return;
    if (exitCode === null && signalCode === null) {
      const ended = once(this.#child, 'exit');
      stdin.end();
      const force = setTimeout(() => this.kill(), GRACE_MS);
      await ended;
      clearTimeout(force);
    }
    this.kill();
    process.off('exit', this.#kill);
    // Processes that the program has started may hold the streams open.
    stdout.destroy();
    stderr.destroy();
  }

  kill(): void {
    const { pid } = this.#child;
    if (pid !== undefined) signalGroup(pid, 'SIGKILL');
  }

  #failure(code: number | null): ServerError {
    const problems = reportedProblems(this.#stderr);
    if (problems.length > 0) return new ServerError('the definitions of the server are wrong', problems);
    const how = code === null ? 'was killed' : `ended with exit code ${code}`;
    const said = this.#stderr.trim().split('\n').slice(-MOST_LINES).join('\n');
    return new ServerError(`the program ${how} and did not answer${said && `. It said:\n${said}`}`);
  }
}

/** One problem in the report of a `DefinitionError`. Node puts brackets around an error without frames. */
const PROBLEM = /^ *\d+\. (?<problem>.*)\n *Fix: (?<fix>.*) \[(?<code>SIGIL_\w+)\]+$/gm;

/** Returns the problems that a failed program has reported about its definitions. @param stderr its standard error. */
export function reportedProblems(stderr: string): ReportedProblem[] {
  return [...stderr.matchAll(PROBLEM)].map(({ groups }) => {
    const { code = '', problem = '', fix = '' } = groups ?? {};
    return { code, problem, fix };
  });
}
