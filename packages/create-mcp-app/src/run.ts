/*
 * The path of a command line: `flags.ts` reads it. `create/create.ts` makes a project from a template, and `add/add.ts`
 * adds a class to a project. Both throw a `Failure` of `failures.ts`, and use a `Host` as their environment; `main.ts`
 * has that of a real process.
 */

import { add } from './add/add.js';
import { create } from './create/create.js';
import { dryRunLines, nextLines, reportJson } from './create/report.js';
import { Failure, type FailureKind, FAILURES } from './failures.js';
import { ADD_FLAGS, CREATE_FLAGS, readFlags, usage } from './flags.js';
import { type Host, silence } from './host.js';
import { ownVersion } from './package-json.js';

/** An exit code of `create-mcp-app`: 0 for success, or the code of a failure. */
export type ExitCode = 0 | FailureKind['exitCode'];

/**
 * Runs the command `create-mcp-app`.
 *
 * @param args the arguments of the command, without the program.
 * @param host the environment of the command. Without `progress`, steps are not shown.
 * @returns the exit code: 0 for success, 1 for a failure, 2 for wrong usage, 130 for an interruption.
 * @example
 * ```ts
 * process.exitCode = await runCreateMcpApp(['shop', '--yes'], {
 *   cwd: process.cwd(),
 *   env: process.env,
 *   signal: new AbortController().signal,
 *   out: console.log,
 *   err: console.error,
 * });
 * ```
 */
export async function runCreateMcpApp(
  args: readonly string[],
  host: Omit<Host, 'progress'> & Partial<Host>,
): Promise<ExitCode> {
  const asJson = args.includes('--json');
  const { progress = silence } = host;
  const quiet: Host = { ...host, progress: asJson ? silence : progress };
  try {
    const first = args.findIndex((argument) => !argument.startsWith('-'));
    await (args[first] === 'add'
      ? runAdd(args.toSpliced(first, 1), quiet, asJson)
      : runCreate(args, quiet, asJson));
    return 0;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    report(error, asJson, quiet);
    return FAILURES[error.code].exitCode;
  }
}

async function runCreate(args: readonly string[], host: Host, asJson: boolean): Promise<void> {
  const said = readFlags(args, CREATE_FLAGS);
  if (said.has('help')) return usage().forEach((line) => host.out(line));
  if (said.has('version')) return host.out(ownVersion());
  const created = await create(said, host);
  if (asJson) return host.out(JSON.stringify(reportJson(created), undefined, 2));
  if (!created.records) return dryRunLines(created).forEach((line) => host.out(line));
  host.progress.close(nextLines(created), `Done in ${(created.ms / 1000).toFixed(1)} s`);
}

async function runAdd(args: readonly string[], host: Host, asJson: boolean): Promise<void> {
  const said = readFlags(args, ADD_FLAGS);
  if (said.has('help')) return usage().forEach((line) => host.out(line));
  const { json, lines } = await add(said, host);
  if (asJson) return host.out(JSON.stringify(json, undefined, 2));
  lines.forEach((line) => host.out(line));
}

function report({ code, message, details }: Failure, asJson: boolean, host: Host): void {
  if (asJson) {
    const error = { code, message, ...(details.length > 0 ? { details } : {}) };
    return host.out(JSON.stringify({ error }, undefined, 2));
  }
  details.forEach((line) => host.err(line));
  host.err(`${host.commandName ?? 'create-mcp-app'}: ${message}`);
}
