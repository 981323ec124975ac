import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import split from 'split2';
import { isObject } from '@sigil/core/internal';
import { type ReportedProblem, ServerError, UsageError } from '../failures.js';
import { type JsonObject, parseJson } from '../json.js';

/** How a program is asked. */
export interface AskOptions {
  /** Milliseconds until it must have answered. */
  readonly timeoutMs: number;
}

/**
 * Starts a program, asks it, and ends it.
 *
 * @param question the variables of its environment that ask; a program that does not know them serves over stdio.
 * @param ask gives the answer.
 * @throws UsageError when there is no such program.
 * @throws ServerError when it fails, or does not answer in time.
 */
export async function askProgram<T>(
  script: string,
  question: Readonly<Record<string, string>>,
  { timeoutMs }: AskOptions,
  ask: (program: Program) => Promise<T>,
): Promise<T> {
  const path = resolve(script);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new UsageError(`there is no file ${script}`);
  // Whatever transport the surroundings ask for, this is about standard streams.
  const program = new Program(path, { MCP_TRANSPORT: 'stdio', ...question });
  const stop = new AbortController();
  const late = sleep(timeoutMs, undefined, { signal: stop.signal }).then(() => {
    throw new ServerError(
      `the program did not answer within ${timeoutMs / 1000} s: it must call app.run(), or serve MCP over stdio`,
    );
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([ask(program), program.failed, late]);
  } finally {
    stop.abort();
    await program.end();
  }
}

const MOST_STDERR = 64 * 1024;
/** How long a program may take to end after the end of its input, in milliseconds; clients wait as long. */
const GRACE_MS = 2000;

/** A server's program, running as a child: its output a line of JSON at a time, and how it failed if it did. */
export class Program {
  /** Rejects with a `ServerError` when the program ends, and never resolves. */
  readonly failed: Promise<never>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #listeners = new Set<(message: JsonObject) => void>();
  #stderr = '';

  /** @param variables what its environment has beside ours. */
  constructor(script: string, variables: Readonly<Record<string, string>>) {
    const env = { ...process.env, ...variables };
    this.#child = spawn(process.execPath, [script], { env, stdio: 'pipe' });
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (this.#stderr.length < MOST_STDERR) this.#stderr += text;
    });
    // A program that answers and ends does not read what it is sent meanwhile.
    this.#child.stdin.on('error', () => undefined);
    // Not node:readline: newer ones end lines at U+2028 and U+2029 too, which JSON has within strings.
    this.#child.stdout.pipe(split()).on('data', (line: string) => {
      const message = parseJson(line);
      if (isObject(message)) for (const listener of [...this.#listeners]) listener(message);
    });
    this.failed = once(this.#child, 'close').then(([code]: unknown[]) => {
      throw this.#failure(code as number | null);
    });
    this.failed.catch(() => undefined);
  }

  /** Sends a message as a line. */
  send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** Waits for the first message that is of use. Whatever else the program prints is passed over. */
  first<T>(read: (message: JsonObject) => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const listener = (message: JsonObject): void => {
        const found = read(message);
        if (found === undefined) return;
        this.#listeners.delete(listener);
        resolve(found);
      };
      this.#listeners.add(listener);
    });
  }

  /** Ends the program: by the end of its input, and by force when it goes on. */
  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'close');
    this.#child.stdin.end();
    const force = setTimeout(() => this.#child.kill('SIGKILL'), GRACE_MS);
    await ended;
    clearTimeout(force);
  }

  #failure(code: number | null): ServerError {
    const problems = reportedProblems(this.#stderr);
    if (problems.length > 0) return new ServerError('the definitions of the server are wrong', problems);
    const how = code === null ? 'was killed' : `ended with exit code ${code}`;
    const why = lastError(this.#stderr);
    return new ServerError(`the program ${how} and did not answer${why === undefined ? '' : `: ${why}`}`);
  }
}

/** The line in which Node names the error that ended a program. */
function lastError(stderr: string): string | undefined {
  const lines = stderr.split('\n').map((line) => line.trim());
  return lines.findLast((line) => /^(\w*Error\b|Uncaught)/.test(line));
}

/** One problem in the report of a `DefinitionError`. Node puts brackets around an error without frames. */
const PROBLEM = /^ *\d+\. (?<problem>.*)\n *Fix: (?<fix>.*) \[(?<code>SIGIL_\w+)\]+$/gm;

/** The problems with definitions that a program wrote to standard error when it failed. */
export function reportedProblems(stderr: string): ReportedProblem[] {
  return [...stderr.matchAll(PROBLEM)].map(({ groups }) => {
    const { code = '', problem = '', fix = '' } = groups ?? {};
    return { code, problem, fix };
  });
}
