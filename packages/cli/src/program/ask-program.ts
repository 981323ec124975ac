import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServerError, UsageError } from '../failures.js';
import { Program } from './program.js';

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
