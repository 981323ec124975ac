import { existsSync, lstatSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { messageOf } from '@sigil/core/internal';
import { build, type Message, type OutputFile } from 'esbuild';
import { type ReportedProblem, ServerError, UsageError } from '../failures.js';
import { makeFolder } from '../make-folder.js';
import type { Examined } from './examine-program.js';
import { externalPackages } from './external.js';
import { importedPackage } from './packages.js';
import { examiningPlugin } from './plugin.js';
import { type TargetName, TARGETS } from './targets.js';

/** How `sigil build` bundles a program. */
export interface BundleOptions {
  /** The absolute path of the program. */
  readonly entry: string;
  /** The absolute path of the bundle. */
  readonly out: string;
  readonly target: TargetName;
  readonly minify: boolean;
  /** Packages that are not bundled. */
  readonly external: readonly string[];
  /**
   * Maximum duration of each run of the program, in milliseconds. The build runs the program to read its definitions,
   * and fails if a run takes longer.
   */
  readonly timeoutMs: number;
}

/** The result of bundling a program. */
export interface Bundled {
  readonly examined: Examined;
  /** The bundle and its source map, which are not written to disk yet. */
  readonly files: readonly OutputFile[];
  /**
   * Packages that must be installed beside the bundle, because it does not contain them. Key: the package name. Value:
   * the folder where the package is installed now.
   */
  readonly external: ReadonlyMap<string, string | undefined>;
  readonly warnings: readonly string[];
}

/**
 * Maximum length of a line of minified code, in characters. When a line fails, Node prints the whole line before the
 * error.
 */
const LINE_LIMIT = 300;

/** The first line of a bundle. It marks a file that another build may overwrite. */
const MARK = '// Written by sigil build';

/**
 * Bundles a program into one file, without writing it.
 *
 * @throws UsageError if the bundle would replace a file that `sigil build` has not written.
 * @throws ServerError if the program cannot be bundled, its definitions are wrong, or the target lacks something that
 *   the program needs.
 */
export async function bundleProgram(options: BundleOptions): Promise<Bundled> {
  const { entry, out, minify, external, target, timeoutMs } = options;
  const cwd = process.cwd();
  const name = relative(cwd, entry);
  if (!existsSync(entry)) throw new UsageError(`there is no file ${name}: compile first`);
  if (!statSync(entry).isFile())
    throw new UsageError(`${name} is not a file: use the compiled file of the program, such as dist/main.js`);
  if (/\.[cm]?tsx?$/.test(entry))
    throw new UsageError(
      `${name} is TypeScript: compile it, and use the compiled file, such as dist/main.js`,
    );
  checkOut(out);
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
    banner: { js: MARK },
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    // Engines take twice as long to read a text with non-ASCII characters.
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
  return {
    examined,
    files: outputFiles,
    external: new Map([...examined.required, ...externalPackages(metafile, cwd, TARGETS[target])]),
    warnings: warnings.map(({ text, location }) =>
      location ? `${location.file}:${location.line}: ${text}` : text,
    ),
  };
}

/**
 * Checks the path of a bundle. @throws UsageError if a bundle cannot have this path, or if another file has
 * it.
 */
function checkOut(out: string): void {
  const refuse = (why: string): never => {
    throw new UsageError(`--out ${relative(process.cwd(), out)}: ${why}`);
  };
  if (!/\.m?js$/.test(out)) refuse('a bundle is an ES module: use a file name that ends in .mjs');
  // A link is replaced; its target stays.
  const found = lstatSync(out, { throwIfNoEntry: false });
  if (found?.isDirectory()) refuse('this is a folder: use the path of a file in it');
  if (found?.isFile() && !readFileSync(out, 'utf8').includes(MARK))
    refuse('the file exists, but sigil build did not write it: choose another file, or delete this one');
}

/**
 * Writes a bundle and its source map.
 *
 * @param placeOf a function that receives the planned path of a file, and returns the path to write the file to.
 * @throws UsageError when the files cannot be written.
 */
export function writeBundle({ files }: Bundled, placeOf = (path: string): string => path): void {
  for (const { path: planned, contents } of files) {
    const path = placeOf(planned);
    try {
      makeFolder(dirname(path));
      // Replaces a symbolic link, but not its target.
      rmSync(path, { force: true });
      writeFileSync(path, contents, { flag: 'wx' });
    } catch (error) {
      throw new UsageError(`${relative(process.cwd(), path)} cannot be written: ${messageOf(error)}`);
    }
  }
}

/** Returns an error with its cause and a fix. */
function failureOf(error: unknown, cwd: string): unknown {
  const { errors = [] } = error as { readonly errors?: readonly Message[] };
  const own: unknown = errors.find(({ detail }) => detail instanceof ServerError)?.detail;
  if (own !== undefined || errors.length === 0) return own ?? error;
  return new ServerError(
    'the program cannot be bundled',
    // When a bundling fails, modules that wait for it repeat its whole failure.
    errors.filter(({ text }) => !text.startsWith('Build failed')).map((one) => problemOf(one, cwd)),
  );
}

function problemOf({ text, location }: Message, cwd: string): ReportedProblem {
  const place = location ? `${relative(cwd, resolve(cwd, location.file))}:${location.line}: ` : '';
  const missing = /^Could not resolve "(?<name>[^"]+)"/.exec(text)?.groups?.['name'];
  const fix =
    missing === undefined
      ? 'correct the named module'
      : /^[./#]/.test(missing)
        ? 'compile the program first, import the module with its file extension (for example ./shop.js), or copy imported data files into the compiled output'
        : `run npm install ${importedPackage(missing)}, or leave the package out of the bundle with --external ${importedPackage(missing)}`;
  return { code: 'SIGIL_BUILD_FAILED', problem: `${place}${text}`, fix };
}
