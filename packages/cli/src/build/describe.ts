import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { BuildDescription, DiscoveredFiles } from '@sigil/core/build';
import { ServerError } from '../failures.js';
import type { BundleOptions } from './bundle.js';
import { reportedProblems } from '../program/program.js';
import { startAside } from './start-aside.js';

/** What a program that was bundled to be described writes. */
export interface Told {
  readonly description?: BuildDescription;
  readonly discovered: DiscoveredFiles;
}

/** How long a program may go on that has made no app when it is loaded, such as one in `main()`, in milliseconds. */
const NO_APP_MS = 5_000;
/** How long it may then take to make another one, or to serve. */
const NEXT_APP_MS = 500;

/**
 * The first and the last module of such a bundle: between them, the program. What makes its apps in a function that nothing waits for has
 * made none by the last one, and ends by itself unless something keeps it.
 */
export const DESCRIBING: Readonly<Record<string, string>> = {
  'sigil:describe': `
    import { writeFileSync } from 'node:fs';
    import { describeBuild } from '@sigil/core/build';
    // Programs ask whether they are what was started.
    process.argv[1] = process.env.SIGIL_BUILD_ENTRY;
    const told = { discovered: {} };
    process.once('exit', () => writeFileSync(process.env.SIGIL_BUILD_TOLD, JSON.stringify(told)));
    let ending;
    const describe = describeBuild(
      (description) => { told.description = description; process.exit(0); },
      (files) => Object.assign(told.discovered, files),
      process.env,
    );
    export const end = () => (ending ??= describe());
    export const apps = { made: 0, more: () => undefined };
    const record = globalThis[Symbol.for('sigil:build-record')];
    const { madeApp } = record;
    record.madeApp = (app) => { madeApp(app); apps.made++; apps.more(); };`,
  'sigil:described': `
    import { apps, end } from 'sigil:describe';
    const later = globalThis[Symbol.for('sigil:later-apps')] ?? [];
    if (apps.made + later.length > 0) await end();
    process.once('beforeExit', () => end());
    let waiting = setTimeout(end, ${NO_APP_MS}).unref();
    apps.more = () => { clearTimeout(waiting); waiting = setTimeout(end, ${NEXT_APP_MS}).unref(); };`,
};

/**
 * Starts a program that was bundled to be described, and waits for what it tells.
 *
 * @param options where its bundle is going to be: it runs from that folder, and finds there what was left outside.
 * @param timeoutMs how long it may take.
 * @throws ServerError when its definitions are wrong, or it fails, or does not end in time.
 */
export async function describeProgram(
  code: string,
  { entry, out }: Pick<BundleOptions, 'entry' | 'out'>,
  timeoutMs: number,
): Promise<Told> {
  const path = join(dirname(out), `.${basename(out)}.${process.pid}.mjs`);
  const answer = `${path}.json`;
  const running = await startAside(path, code, {
    files: [answer],
    variables: { SIGIL_BUILD_TOLD: answer, SIGIL_BUILD_ENTRY: entry, MCP_TRANSPORT: 'stdio' },
    flags: ['--enable-source-maps'],
  });
  try {
    const { code: exitCode, isLate, said } = await running.ended(timeoutMs);
    if (isLate)
      throw new ServerError(
        `the program did not say within ${timeoutMs / 1000} s what it serves: it must call createApp() when it is loaded`,
      );
    const told = await readFile(answer, 'utf8').then(
      (text) => JSON.parse(text) as Told,
      (): Told => ({ discovered: {} }),
    );
    // What a build does not have yet may be all that is wrong.
    if (told.description || Object.keys(told.discovered).length > 0) return told;
    const problems = reportedProblems(said);
    if (problems.length > 0) throw new ServerError('the definitions of the server are wrong', problems);
    throw new ServerError(
      `the program ended with code ${exitCode} before it had made an app. What it needs to start, such as variables of the environment, it needs to be built: any value will do. It said:\n${said.trim()}`,
    );
  } finally {
    running.forget();
  }
}
