import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { build, type Message } from 'esbuild';
import { type ReportedProblem, ServerError, UsageError } from '../failures.js';
import type { Examined } from './examine-program.js';
import { externalPackages } from './external.js';
import { importedPackage } from './packages.js';
import { examiningPlugin } from './plugin.js';
import { type TargetName, TARGETS } from './targets.js';

/** How `sigil build` bundles a program. */
export interface BundleOptions {
  /** The program, absolute. */
  readonly entry: string;
  /** The file of the bundle, absolute. */
  readonly out: string;
  readonly target: TargetName;
  readonly minify: boolean;
  /** Packages that stay external. */
  readonly external: readonly string[];
  /** How long the program may take to describe itself, in milliseconds. */
  readonly timeoutMs: number;
}

/** A bundle that is written. */
export interface Bundled {
  readonly examined: Examined;
  /** Packages that are installed beside it, each with its folder where it is installed now. */
  readonly external: ReadonlyMap<string, string | undefined>;
  readonly warnings: readonly string[];
}

/** The longest lines of minified code, in characters: Node shows the line that fails before it says why. */
const LINE_LIMIT = 300;

/**
 * Makes one file of a program.
 *
 * @throws ServerError if it cannot be bundled, its definitions are wrong, or the target lacks something it needs.
 */
export async function bundleProgram(options: BundleOptions): Promise<Bundled> {
  const { entry, out, minify, external, target, timeoutMs } = options;
  const cwd = process.cwd();
  const name = relative(cwd, entry);
  if (!existsSync(entry)) throw new UsageError(`there is no file ${name}: compile first`);
  if (/\.[cm]?tsx?$/.test(entry))
    throw new UsageError(
      `${name} is TypeScript: compile it, and give what the compiler writes, such as dist/main.js`,
    );
  if (out.endsWith('.cjs'))
    throw new UsageError(`--out ${relative(cwd, out)}: a bundle is an ES module: name it .mjs`);
  let examined!: Examined;
  const { metafile, outputFiles, warnings } = await build({
    absWorkingDir: cwd,
    entryPoints: [entry],
    outfile: out,
    bundle: true,
    write: false,
    metafile: true,
    minify,
    ...(minify && TARGETS[target].hasFiles && { lineLimit: LINE_LIMIT }),
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    // Engines take twice as long to read a text with other letters.
    charset: 'ascii',
    logLevel: 'silent',
    external: [...external],
    plugins: [examiningPlugin({ target, timeoutMs }, (found) => (examined = found))],
  }).catch((error: unknown) => {
    throw failureOf(error, cwd);
  });
  const imported = new Set(
    Object.values(metafile.inputs).flatMap(({ imports }) => imports.map(({ path }) => importedPackage(path))),
  );
  const misspelt = external.find((one) => !imported.has(importedPackage(one)));
  if (misspelt !== undefined)
    throw new UsageError(`--external ${misspelt}: the program imports no package of this name`);
  for (const { path, contents } of outputFiles) {
    // Replaces a symbolic link, but not its target.
    await rm(path, { force: true });
    await writeFile(path, contents, { flag: 'wx' });
  }
  return {
    examined,
    external: new Map([...examined.required, ...externalPackages(metafile, cwd, TARGETS[target])]),
    warnings: warnings.map(({ text, location }) =>
      location ? `${location.file}:${location.line}: ${text}` : text,
    ),
  };
}

/** An error with its cause and its fix. */
function failureOf(error: unknown, cwd: string): unknown {
  const { errors = [] } = error as { readonly errors?: readonly Message[] };
  const own: unknown = errors.find(({ detail }) => detail instanceof ServerError)?.detail;
  if (own !== undefined || errors.length === 0) return own ?? error;
  return new ServerError(
    'the program cannot be bundled',
    // Modules that wait for a bundling which has failed repeat its failure as a whole.
    errors.filter(({ text }) => !text.startsWith('Build failed')).map((one) => problemOf(one, cwd)),
  );
}

function problemOf({ text, location }: Message, cwd: string): ReportedProblem {
  const place = location ? `${relative(cwd, resolve(cwd, location.file))}:${location.line}: ` : '';
  const missing = /^Could not resolve "(?<name>[^"]+)"/.exec(text)?.groups?.['name'];
  const fix =
    missing === undefined
      ? 'mend the module that is named'
      : /^[./#]/.test(missing)
        ? 'compile first, and import the file by its whole name, as in ./shop.js; data has to be copied to where it is imported'
        : `npm install ${importedPackage(missing)}, or leave it external: --external ${importedPackage(missing)}`;
  return { code: 'SIGIL_BUILD_FAILED', problem: `${place}${text}`, fix };
}
