import { existsSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildDescription, DiscoveredFiles } from '@sigil/core/build';
import type { BuildOptions, Metafile, Plugin, PluginBuild } from 'esbuild';
import { ServerError } from '../failures.js';
import {
  CLASS_LIBRARIES,
  installedForm,
  installedRules,
  type LibraryForm,
  type LibraryImport,
  RULES,
} from './class-libraries.js';
import { leaveExternal, externalPackages, sharedPackages } from './external.js';
import { modulePlaces, PLACES, placesText } from './places.js';
import { importedPackage, isWithin, packageFolder } from './packages.js';
import { preparedText, virtualModules } from './prepared.js';
import type { Program } from './program.js';
import { type ImportedRules, importedRules } from './program-text.js';
import type { References } from './references.js';
import { DESCRIBE, describeProgram } from './run-described.js';

/** The facts about a program that are needed to bundle it. */
export interface Examined {
  readonly description: BuildDescription;
  /** The module files that each URL of the option `discover` (a folder or a pattern) matches. Key: the URL. */
  readonly discovered: DiscoveredFiles;
  /** The program's imports of class-validator. */
  readonly rules: ImportedRules;
  /** Packages that are left out of the bundle, because other packages outside of the bundle use them. */
  readonly shared: ReadonlySet<string>;
  /**
   * Packages that the bundler does not see, because the program loads them with functions from `createRequire()`. Key:
   * the package name. Value: its folder.
   */
  readonly required: ReadonlyMap<string, string | undefined>;
  /**
   * Absolute paths of files and folders that the program's modules find relative to their own location, for
   * example with `import.meta.url`.
   */
  readonly files: readonly string[];
  /** The program's exports. */
  readonly exports: readonly string[];
}

/** Code that defines the function `require`. With it, bundled CommonJS modules load packages outside of the bundle. */
export const REQUIRE =
  "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);";
/** Maximum number of times that a program is described again, because it has discovered further modules. */
const MOST_DISCOVERIES = 16;

/**
 * Finds out what the bundle of a program needs. For this, bundles the program and runs the bundle. In this run, the
 * program reports its definitions instead of serving clients.
 *
 * @param asked the esbuild options of the build.
 * @param timeoutMs the maximum time for each run of the program, in milliseconds.
 * @throws ServerError if the definitions are wrong, or the target lacks something that the program needs; the bundler's
 *   error if bundling fails.
 */
export async function examineProgram(
  esbuild: PluginBuild['esbuild'],
  { outfile: _, entryPoints: __, ...asked }: BuildOptions,
  program: Program,
  timeoutMs: number,
): Promise<Examined> {
  const { cwd, entry, out, target, framework, packages } = program;
  let discovered: DiscoveredFiles = {};
  for (let round = 0; round < MOST_DISCOVERIES; round++) {
    const specifiers = new Set<string>();
    const found = new Map<string, References>();
    const formOf = (one: LibraryImport): LibraryForm => {
      const form = installedForm(one);
      if (one.path === 'class-validator') specifiers.add(form.path);
      return form;
    };
    const { outputFiles, metafile } = await esbuild.build({
      ...asked,
      // The bundled program shows which exports it has.
      entryPoints: { program: 'sigil:program', entry },
      outdir: dirname(out),
      write: false,
      metafile: true,
      minify: false,
      sourcemap: false,
      splitting: false,
      logLevel: 'silent',
      banner: { js: REQUIRE },
      plugins: [
        virtualModules(
          {
            'sigil:program': () =>
              `import 'reflect-metadata'; import 'sigil:describe'; import 'sigil:prepared'; import ${JSON.stringify(entry)}; import 'sigil:end';`,
            'sigil:describe': () => DESCRIBE + (target.globals ?? ''),
            'sigil:prepared': () => preparedText({ validators: [], patterns: [] }, discovered, out),
            'sigil:end': () => "import { loaded } from 'sigil:describe'; await loaded();",
            'sigil:stand-in': () => STAND_IN,
            [PLACES]: () => placesText(true),
            [RULES]: () => installedRules(framework),
          },
          framework,
        ),
        standIns,
        modulePlaces(program, found),
        leaveExternal(program, formOf),
        ...(asked.plugins ?? []).filter(({ name }) => name !== 'sigil'),
      ],
    });
    const code = outputFiles.find(({ path }) => path.endsWith('program.js'))?.text ?? '';
    const { description, discovered: more } = await describeProgram(code, out, timeoutMs);
    discovered = { ...discovered, ...more };
    if (!description || Object.keys(more).length > 0) continue;
    const { files, required } = referred(found, metafile, cwd);
    const external = new Map([...required, ...externalPackages(metafile, cwd, target)]);
    const exports = Object.entries(metafile.outputs).flatMap(([path, output]) =>
      path.endsWith('entry.js') ? output.exports : [],
    );
    refuseUnservable(program, [...external.keys()], exports);
    const rules = importedRules(code, specifiers);
    const places = Object.keys(discovered).map((href) => fileURLToPath(href));
    const kept = files.filter((file) => !places.some((place) => isWithin(place, file)));
    const shared = sharedPackages(external, packages);
    return { description, discovered, rules, shared, required, files: kept, exports };
  }
  throw new ServerError(
    `the program discovered further folders in each of ${MOST_DISCOVERIES} runs of the build: pass a fixed list of folders to the option "discover"`,
  );
}

/**
 * Returns what the modules of a bundle refer to without an import statement: files, folders, and packages that they
 * load with functions from `createRequire()`.
 *
 * @param found the references of each module. The key is the module's file.
 */
export function referred(
  found: ReadonlyMap<string, References>,
  { outputs }: Metafile,
  cwd: string,
): Pick<Examined, 'files' | 'required'> {
  const bundled = new Set(
    Object.values(outputs).flatMap(({ inputs }) =>
      Object.keys(inputs).map((path) => resolve(cwd, path.replace(/^file:/, ''))),
    ),
  );
  const modules = [...found].filter(([path]) => bundled.has(path));
  const files = modules.flatMap(([path, { files: own }]) =>
    // A folder that contains the module itself is not its data.
    own.filter((file) => existsSync(file) && !isWithin(path, file)),
  );
  const required = modules.flatMap(([path, { packages }]) =>
    packages
      .map(importedPackage)
      .filter((name) => !CLASS_LIBRARIES.includes(name))
      .map((name) => [name, packageFolder(name, path)] as const),
  );
  return { files: [...new Set(files)].sort(), required: new Map(required) };
}

/** Stands in for modules of the target while a program is described on this machine. */
const STAND_IN =
  'module.exports = new Proxy({}, { get: (_, name) => name === "__esModule" ? false : class {} });';
const standIns: Plugin = {
  name: 'sigil-stand-ins',
  setup(bundler) {
    bundler.onResolve({ filter: /^(?:cloudflare|bun):|^bun$/ }, () => ({
      path: 'sigil:stand-in',
      namespace: 'sigil',
    }));
  },
};

/** Checks that the target has everything that the program needs. @throws ServerError if it does not. */
function refuseUnservable(
  { cwd, entry, target }: Program,
  external: readonly string[],
  exports: readonly string[],
): void {
  const code = 'SIGIL_BUILD_FAILED';
  const problems = external.map((name) => ({
    code,
    problem: `${name}: the bundle does not contain it, and the target has no node_modules`,
    fix: 'use another package, or write a separate entry module for this target',
  }));
  if (!target.hasFiles && problems.length > 0) throw new ServerError('a package is missing', problems);
  if (target.serves === 'program' || exports.length > 0) return;
  const problem = `${relative(cwd, entry)}: it exports nothing, but this target calls the exports of the program`;
  const fix =
    'write a separate entry module for this target, for example with export default worker(app); import worker from @sigil/workers';
  throw new ServerError('nothing would be served', [{ code, problem, fix }]);
}
