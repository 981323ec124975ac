import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { build } from 'esbuild';
import { UsageError } from '../failures.js';
import { type JsonObject, objectOf } from '../json.js';
import { makeFolder } from '../make-folder.js';
import { type Bundled, type BundleOptions, writeBundle } from './bundle.js';
import { bundledForm, bundledRules, RULES } from './class-libraries.js';
import { referred, REQUIRE } from './examine-program.js';
import { externalPackages, leaveExternal } from './external.js';
import { isWithin, packageFolder, Packages } from './packages.js';
import { modulePlaces, PLACES, placesText } from './places.js';
import { setOptions } from './plugin.js';
import { virtualModules } from './prepared.js';
import type { References } from './references.js';
import { TARGETS } from './targets.js';

/** The mark of a folder that a build has written, and that another build may overwrite. */
const MARK = 'Written by sigil build --ship';

/** The result of `ship`. */
export interface Shipped {
  /** Packages to install in the folder, each with its current location. */
  readonly external: ReadonlyMap<string, string | undefined>;
  readonly warnings: readonly string[];
}

/** Returns the folder of the project, which contains its `package.json` and the bundle. */
export function projectOf({ entry, out }: Pick<BundleOptions, 'entry' | 'out'>): string {
  let root = new Packages().folderOf(entry) ?? dirname(dirname(entry));
  while (!isWithin(out, root)) root = dirname(root);
  return root;
}

/**
 * Checks the folder to ship to. @throws UsageError if it contains the program or the bundle, or if it exists and
 * `sigil build` has not written it.
 */
export function checkShipFolder(folder: string, { entry, out }: Pick<BundleOptions, 'entry' | 'out'>): void {
  const name = relative(process.cwd(), folder) || '.';
  if (isWithin(entry, folder) || isWithin(out, folder))
    throw new UsageError(
      `--ship ${name}: this folder contains the program or the bundle; choose a folder that contains neither`,
    );
  if (existsSync(folder) && manifestIn(folder)['description'] !== MARK)
    throw new UsageError(
      `--ship ${name}: the folder exists, but sigil build did not write it; choose another folder, or delete this one`,
    );
}

/**
 * Writes a folder with a bundle and everything that the bundle needs to run on another machine. If the bundle refers to
 * files of the project, these files keep their paths relative to the project. The `package.json` of the folder lists
 * the external packages. Programs that the bundle starts, such as workers, are bundled too.
 */
export async function ship(folder: string, options: BundleOptions, bundled: Bundled): Promise<Shipped> {
  const { out, target } = options;
  const root = projectOf(options);
  const external = new Map(bundled.external);
  const warnings: string[] = [];
  const manifests: string[] = [];
  writeBundle(bundled, (path) => join(folder, relative(root, path)));
  // A program may refer to further files, which are added in the loop.
  const files = new Set(bundled.examined.files);
  for (const path of files) {
    const to = join(folder, relative(root, path));
    const isOfPackage = path.split(sep).includes('node_modules');
    // Many packages only read their own `package.json`, for their version.
    if (isOfPackage && isWithin(path, root) && basename(path) === 'package.json') manifests.push(path);
    else if (isOfPackage) installWhole(path, root, external, warnings);
    else if (!isWithin(path, root)) warnings.push(`${path} is outside of the project, so it is not shipped`);
    else if (!/\.m?js$/.test(path)) copy(path, to);
    else {
      const more = await bundleFile(path, to, options);
      for (const file of more.files) files.add(file);
      for (const [name, place] of more.external) external.set(name, place);
    }
  }
  // If npm must install packages, it also installs the packages of these manifests: it would remove mere copies.
  for (const path of manifests)
    if (external.size > 0) installWhole(path, root, external, warnings);
    else copy(path, join(folder, relative(root, path)));
  const own = manifestIn(root);
  const dependencies = dependenciesOf(external, warnings);
  const manifest = {
    name: own['name'] ?? basename(root),
    version: own['version'] ?? '0.0.0',
    description: MARK,
    private: true,
    type: 'module',
    ...(target === 'node' ? { scripts: { start: `node ${relative(root, out).split(sep).join('/')}` } } : {}),
    ...(Object.keys(dependencies).length > 0 ? { dependencies } : {}),
    ...(own['overrides'] === undefined ? {} : { overrides: own['overrides'] }),
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  return { external, warnings };
}

/** Installs the whole package that contains a file, so that the file keeps its path. */
function installWhole(
  path: string,
  root: string,
  external: Map<string, string | undefined>,
  warnings: string[],
): void {
  const folder = new Packages().folderOf(path) ?? dirname(path);
  const name = String(manifestIn(folder)['name']);
  if (folder === join(root, 'node_modules', name)) external.set(name, folder);
  else
    warnings.push(
      `${name} loads ${basename(path)} by a path that is different in the installed package: build with --external ${name}`,
    );
}

function copy(from: string, to: string): void {
  makeFolder(dirname(to));
  cpSync(from, to, {
    recursive: true,
    dereference: true,
    filter: (path) => !path.slice(from.length).split(sep).includes('node_modules'),
  });
}

/**
 * Bundles a program that the bundle starts.
 *
 * @param entry the file of the program; its path stays the same for modules.
 */
async function bundleFile(
  entry: string,
  to: string,
  { entry: main, target: name, minify, external }: BundleOptions,
): Promise<{
  readonly files: readonly string[];
  readonly external: ReadonlyMap<string, string | undefined>;
}> {
  const cwd = process.cwd();
  const target = TARGETS[name];
  const framework = packageFolder('@sigil/core', main) ?? dirname(main);
  const program = { cwd, entry, out: entry, target, framework, packages: new Packages() };
  const found = new Map<string, References>();
  const { metafile } = await build({
    ...setOptions({}, target),
    absWorkingDir: cwd,
    entryPoints: [entry],
    outfile: to,
    bundle: true,
    metafile: true,
    minify,
    external: [...external],
    banner: { js: REQUIRE },
    logLevel: 'silent',
    plugins: [
      virtualModules({ [PLACES]: () => placesText(true), [RULES]: () => bundledRules('all') }, framework),
      modulePlaces(program, found),
      leaveExternal(program, (one) => bundledForm(one, true)),
    ],
  });
  const { files, required } = referred(found, metafile, cwd);
  return { files, external: new Map([...required, ...externalPackages(metafile, cwd, target)]) };
}

/** Returns the dependencies, with the exact versions that are installed now. */
function dependenciesOf(external: Shipped['external'], warnings: string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...external]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .flatMap(([name, folder]) => {
        if (folder === undefined) return [];
        const { name: real, version } = manifestIn(folder);
        if (!folder.split(sep).includes('node_modules'))
          warnings.push(
            `${name} is a local package: publish version ${String(version)}, or include the package in the bundle`,
          );
        return [[name, real === name ? String(version) : `npm:${String(real)}@${String(version)}`]];
      }),
  );
}

function manifestIn(folder: string): JsonObject {
  const path = join(folder, 'package.json');
  return objectOf(existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined);
}
