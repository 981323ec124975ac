import { execFile } from 'node:child_process';

/** What a run found out about one server. */
export interface Report {
  readonly answered: number;
  readonly failures: readonly string[];
}

/**
 * Runs the fuzzer or the soak as a program.
 *
 * @param script what to run; its `--json` output is read.
 * @returns its reports, by transport and era.
 */
export function reportsOf(script: string, args: readonly string[]): Promise<Record<string, Report>> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [script, ...args, '--json'], (error, stdout, stderr) => {
      if (stdout === '') reject(error ?? new Error(stderr));
      else resolve((JSON.parse(stdout) as { reports: Record<string, Report> }).reports);
    });
  });
}
