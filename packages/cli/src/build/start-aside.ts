import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';

/** A program that is run while another one is built. */
export interface RunningAside {
  /**
   * Waits until it has ended, and kills it when that takes too long.
   *
   * @param limitMs how long it may take.
   */
  ended(
    limitMs: number,
  ): Promise<{ readonly code: number | null; readonly isLate: boolean; readonly said: string }>;
  /** Removes its files. */
  forget(): void;
}

const MOST_SAID = 64 * 1024;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Starts a program from a file that is there for as long as it runs. Neither outlives this process: a build that is told to end takes
 * them along.
 *
 * @param path where the file is to be.
 * @param code what is in it.
 */
export async function startAside(
  path: string,
  code: string,
  {
    files,
    variables,
    input,
    flags = [],
  }: {
    /** What the program writes. */
    readonly files: readonly string[];
    readonly variables: Readonly<Record<string, string>>;
    /** What it reads; nothing by default. */
    readonly input?: string;
    readonly flags?: readonly string[];
  },
): Promise<RunningAside> {
  await writeFile(path, code);
  const env = { ...process.env, ...variables };
  const child = spawn(process.execPath, [...flags, path], { env });
  // One that ends before it has read all of it is none of ours to report.
  child.stdin.on('error', () => undefined).end(input);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      if (said.length < MOST_SAID) said += text;
    });
  const forget = (): void => {
    for (const signal of SIGNALS) process.off(signal, stop);
    for (const file of [path, ...files]) rmSync(file, { force: true });
  };
  const stop = (signal: NodeJS.Signals): void => {
    child.kill('SIGKILL');
    forget();
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.once(signal, stop);
  return {
    async ended(limitMs) {
      const late = setTimeout(() => child.kill('SIGKILL'), limitMs);
      const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
      clearTimeout(late);
      return { code, isLate: signal === 'SIGKILL', said };
    },
    forget,
  };
}
