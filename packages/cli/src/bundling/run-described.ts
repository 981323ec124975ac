import { execFile, type ExecFileException } from 'node:child_process';
import { rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { BuildDescription, DiscoveredFiles } from '@sigil/core/build';
import { ServerError } from '../failures.js';
import { reportedProblems } from '../program/program.js';

/**
 * The report of a program that the build has run. It contains the definitions of the program, and the modules that
 * match the option `discover` but are missing in the bundle.
 */
export interface Told {
  readonly description?: BuildDescription;
  readonly discovered: DiscoveredFiles;
}

/**
 * How long to wait for the first app of a program that has none after loading, for example because `main()` creates it,
 * in milliseconds.
 */
const NO_APP_MS = 5_000;
/** How long the program may then take to create another app, or to serve, in milliseconds. */
const NEXT_APP_MS = 500;

/**
 * The code of a module that makes a program report its definitions instead of serving. It must be loaded before the
 * program. Its function `loaded()` must be called after the program is loaded.
 */
export const DESCRIBE: string = `
import { writeFileSync } from 'node:fs';
import { describeBuild } from '@sigil/core/build';
const told = { discovered: {} };
process.once('exit', () => writeFileSync(process.env.SIGIL_BUILD_TOLD, JSON.stringify(told)));
let ending, waiting, made = 0, isLoaded = false;
const wait = (ms) => {
  clearTimeout(waiting);
  if (isLoaded) waiting = setTimeout(end, ms).unref();
};
const describe = describeBuild({
  done(description) {
    told.description = description;
    process.exit(0);
  },
  discovered: (href, files) => void (told.discovered[href] = files),
  madeApp() {
    made++;
    wait(${NEXT_APP_MS});
  },
}, process.env);
const end = () => (ending ??= describe());
// No app exists yet if the program does not wait for the function that creates its apps.
export const loaded = async () => {
  if (made > 0) await end();
  isLoaded = true;
  process.once('beforeExit', end);
  wait(${NO_APP_MS});
};`;

/**
 * Runs a bundle that contains the program and the module `DESCRIBE`, and returns the report of the program.
 *
 * @param code the bundle.
 * @param out the file of the final bundle. The program runs in the folder of this file, so that it finds external
 *   packages there.
 * @throws ServerError if the definitions of the program are invalid, or if the program fails or does not end in time.
 */
export async function describeProgram(code: string, out: string, timeoutMs: number): Promise<Told> {
  const path = join(dirname(out), `.${basename(out)}.${process.pid}.mjs`);
  const answer = `${path}.json`;
  await writeFile(path, code, { flag: 'wx' });
  const env = { ...process.env, SIGIL_BUILD_TOLD: answer, MCP_TRANSPORT: 'stdio' };
  const options = { env, timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: Infinity } as const;
  try {
    const { failure, said } = await new Promise<{ failure: ExecFileException | null; said: string }>(
      (resolve) => {
        const child = execFile(process.execPath, [path], options, (error, stdout, stderr) =>
          resolve({ failure: error, said: stdout + stderr }),
        );
        child.stdin?.end();
      },
    );
    if (failure?.killed)
      throw new ServerError(
        `the program did not report its definitions within ${timeoutMs / 1000} s: it must call createApp() when it is loaded`,
      );
    const text = await readFile(answer, 'utf8').catch(() => '{ "discovered": {} }');
    const told = JSON.parse(text) as Told;
    // The cause may only be that the bundle lacks discovered modules.
    if (told.description || Object.keys(told.discovered).length > 0) return told;
    const problems = reportedProblems(said);
    if (problems.length > 0) throw new ServerError('the definitions of the server are wrong', problems);
    throw new ServerError(
      `the program ended with code ${failure?.code ?? 0} before it created an app. The build runs the program, so set each environment variable that the program needs (to any value). The output of the program:\n${said}`.trim(),
    );
  } finally {
    for (const file of [path, answer]) rmSync(file, { force: true });
  }
}
