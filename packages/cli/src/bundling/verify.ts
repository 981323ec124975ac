import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { Manifest } from '@sigil/core/manifest';
import { LATEST_VERSION, METHODS } from '@sigil/core/transport';
import { diffManifests } from '../diff/diff-manifests.js';
import { ServerError } from '../failures.js';
import type { JsonObject } from '../json.js';
import { greet } from '../program/connection.js';
import { manifestOfProgram } from '../program/manifest.js';
import { type AskOptions, askProgram } from '../program/program.js';
import { type Bundled, writeBundle } from './bundle.js';
import { isWithin } from './packages.js';
import { projectOf } from './ship.js';

/** A bundle and its original program. */
export interface Comparison {
  readonly entry: string;
  readonly out: string;
  readonly bundled: Bundled;
  /** Packages that stay external, each with the folder where it is installed. */
  readonly external: ReadonlyMap<string, string | undefined>;
  /** The folder that `ship` has written; absent if the bundle is not shipped. */
  readonly shipped?: string | undefined;
  /**
   * The name of the runtime that the program passes to `app.run()`; `stdio` if it passes none. Errors of calls are
   * compared only for `stdio`; for other runtimes, only the definitions are compared.
   */
  readonly runtime: string;
  readonly timeoutMs: number;
}

/**
 * Runs a bundle and its original program, and checks that both behave in the same way. It compares their definitions
 * (such as the result of `tools/list`), and their errors for calls without arguments. The bundle runs in a copy of the
 * project or of the shipped folder. Only packages outside of the bundle are installed in this copy.
 *
 * @returns `undefined` if there is no difference. If the comparison was not possible, returns the reason, for example
 *   that the program lacks something on this machine.
 * @throws ServerError if the definitions or errors differ, or if the bundle does not start.
 */
export async function compareWithProgram(asked: Comparison): Promise<string | undefined> {
  const { entry, out, runtime, timeoutMs } = asked;
  const name = relative(process.cwd(), out);
  const plain = await answersOf(entry, runtime, { timeoutMs }).catch((error: unknown) => error);
  if (plain instanceof ServerError) return reasonOf(plain);
  if (plain instanceof Error) throw plain;
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'sigil-verify-')));
  try {
    const { file, cwd } = installedIn(home, asked);
    const bundled = await answersOf(file, runtime, { timeoutMs, cwd }).catch((error: unknown) => {
      if (!(error instanceof ServerError)) throw error;
      throw new ServerError(`${name} does not start, although the unbundled program does: ${error.message}`, [
        ...error.problems,
        { code, problem: 'the bundle lacks something that the program has', fix: FIX },
      ]);
    });
    const differences = differencesOf(plain as Answers, bundled);
    if (differences.length === 0) return undefined;
    throw new ServerError(
      `${name} behaves differently from the program`,
      differences.map((problem) => ({ code, problem, fix: FIX })),
    );
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Returns why a program does not start, with all problems of its definitions. */
function reasonOf({ message, problems }: ServerError): string {
  const lines = problems.map(({ code, problem, fix }) => `\n    ${problem}\n      Fix: ${fix} [${code}]`);
  return `${message}${lines.join('')}`;
}

const code = 'SIGIL_BUILD_FAILED';
const FIX =
  'use --external <package> for packages that read their own files; use --external reflect-metadata for decorators in an external package; or skip this comparison with --no-verify';

interface Answers {
  readonly manifest: Manifest;
  /** The errors of calls without arguments, by definition. */
  readonly refusals: Readonly<Record<string, string>>;
}

async function answersOf(script: string, runtime: string, options: AskOptions): Promise<Answers> {
  const manifest = await manifestOfProgram(script, options);
  if (runtime !== 'stdio') return { manifest, refusals: {} };
  const calls: readonly (readonly [method: string, name: string])[] = [
    // A call of a tool with task support begins a task before it is refused.
    ...manifest.tools.flatMap(({ name, inputSchema, task }) =>
      task === undefined && hasRequired(inputSchema) ? [[METHODS.callTool, name] as const] : [],
    ),
    ...manifest.prompts.flatMap(({ name, arguments: args = [] }) =>
      args.some(({ required }) => required) ? [[METHODS.getPrompt, name] as const] : [],
    ),
  ];
  const refusals = await askProgram(script, {}, options, async (program) => {
    // Answers in two revisions differ, and a slow program would be asked in an older revision.
    const { connection } = await greet(program, { revision: LATEST_VERSION });
    const answers: Record<string, string> = {};
    for (const [method, name] of calls) {
      const answer = connection.request(method, { name, arguments: {} });
      answers[`${method} ${name}`] = await answer.then(JSON.stringify, (error: Error) => error.message);
    }
    return answers;
  });
  return { manifest, refusals };
}

function hasRequired({ required }: JsonObject): boolean {
  return Array.isArray(required) && required.length > 0;
}

function differencesOf(plain: Answers, bundled: Answers): string[] {
  return [
    ...diffManifests(plain.manifest, bundled.manifest).map(
      ({ where, path, what }) => `${where} ${path}: ${what}`,
    ),
    ...Object.entries(plain.refusals)
      .filter(([call, answer]) => bundled.refusals[call] !== answer)
      .map(([call, answer]) => `${call} without arguments: ${bundled.refusals[call]} instead of ${answer}`),
  ];
}

/**
 * Copies a bundle into an empty folder, with its shipped files, or with links to everything in its project
 * except packages. External packages are links, too.
 */
function installedIn(home: string, asked: Comparison): { file: string; cwd: string } {
  const { out, bundled, external, shipped } = asked;
  const root = projectOf(asked);
  const inHome = (path: string): string => join(home, relative(root, path));
  const file = inHome(out);
  // The shipped folder contains the bundle.
  if (shipped !== undefined) cpSync(shipped, home, { recursive: true });
  else {
    mkdirSync(dirname(file), { recursive: true });
    for (let folder = dirname(out); isWithin(folder, root); folder = dirname(folder)) {
      for (const one of readdirSync(folder, { withFileTypes: true })) {
        const path = join(folder, one.name);
        if (one.name === 'node_modules' || isWithin(out, path)) continue;
        symlinkSync(path, inHome(path), one.isDirectory() ? 'junction' : 'file');
      }
      if (folder === root) break;
    }
    writeBundle(bundled, inHome);
  }
  for (const [name, folder] of external) {
    if (folder === undefined) continue;
    const link = join(home, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(folder, link, 'junction');
  }
  const here = process.cwd();
  return { file, cwd: isWithin(here, root) ? inHome(here) : here };
}
