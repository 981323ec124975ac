import { isBuiltin } from 'node:module';
import { isAbsolute, resolve, sep } from 'node:path';
import type { Metafile, Plugin } from 'esbuild';
import { CLASS_LIBRARIES, type LibraryForm, type LibraryImport, RULES } from './class-libraries.js';
import { importedPackage, packageFolder, type Packages } from './packages.js';
import type { Program } from './program.js';
import type { Target } from './targets.js';

const CORE = '@sigil/core';
const MISSING = 'sigil-missing';
const RESOLVING = Symbol('resolving');

/**
 * Creates an esbuild plugin that leaves modules out of the bundle if the target provides them, or if their package has
 * a compiled addon. If a package calls `require()` or `import()` with a missing module, the build still succeeds. As in
 * Node, only the call fails, at run time.
 *
 * @param formOf a function that receives an import of one of the `CLASS_LIBRARIES`, and returns the module to use
 *   instead; `undefined` to use the imported module itself.
 * @param others a function that returns the names of further packages to leave out of the bundle.
 */
export function leaveExternal(
  { entry, framework, target, packages }: Program,
  formOf: (asked: LibraryImport) => LibraryForm | undefined,
  others: () => Promise<ReadonlySet<string>> = () => Promise.resolve(new Set()),
): Plugin {
  const isOwn = (path: string): boolean => packages.folderOf(path) === packages.folderOf(entry);
  return {
    name: 'sigil-external',
    setup(bundler) {
      bundler.onResolve({ filter: /.*/ }, async ({ path, pluginData, ...asked }) => {
        const { kind, importer } = asked;
        if (kind === 'entry-point' || pluginData === RESOLVING || isAbsolute(path)) return undefined;
        const isPackage = !path.startsWith('.');
        // Relative imports are rarely missing.
        const isLater = kind === 'require-call' || kind === 'dynamic-import' || kind === 'require-resolve';
        if (!isPackage && !isLater) return undefined;
        const name = importedPackage(path);
        const external = await others();
        const isShared = external.has(name) || (external.has(CORE) && path.startsWith('@sigil/'));
        if (isPackage && (target.provided.test(path) || isShared)) return { path, external: true };
        if (isBuiltin(path)) return undefined;
        const find = (one: string) => bundler.resolve(one, { ...asked, pluginData: RESOLVING });
        const found = await find(path);
        if (found.errors.length > 0)
          return isLater && !isOwn(importer) ? { path, namespace: MISSING } : undefined;
        if (!isPackage || found.external) return undefined;
        if (CLASS_LIBRARIES.includes(name)) {
          if (path === 'class-validator' && importer.startsWith(framework + sep))
            return { path: RULES, namespace: 'sigil' };
          const form = formOf({ path, ...asked });
          return form?.external ? form : form && find(form.path);
        }
        const folder = found.namespace === 'file' ? packages.folderOf(found.path) : undefined;
        const isAddon = folder !== undefined && !isOwn(found.path) && packages.hasAddon(folder);
        // Otherwise the bundler resolves it again, because the bundler learns more than a plugin can pass on.
        return isAddon ? { path, external: true } : undefined;
      });
      bundler.onLoad({ filter: /.*/, namespace: MISSING }, ({ path }) => ({
        contents: `throw Object.assign(new Error(${JSON.stringify(`Cannot find module '${path}'`)}), { code: 'MODULE_NOT_FOUND' });`,
      }));
    },
  };
}

/**
 * Returns the packages that a bundle imports but does not contain. Key: the package name. Value: the folder where the
 * package is installed.
 */
export function externalPackages(
  { inputs, outputs }: Metafile,
  cwd: string,
  { provided }: Pick<Target, 'provided'>,
): ReadonlyMap<string, string | undefined> {
  const imported = Object.values(outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  const found = new Map<string, string | undefined>();
  for (const [input, { imports }] of Object.entries(inputs))
    for (const { path, external } of imports) {
      if (external !== true || !imported.includes(path) || isBuiltin(path)) continue;
      if (isAbsolute(path) || /^(?:\.|\w+:)/.test(path) || provided.test(path)) continue;
      const name = importedPackage(path);
      found.set(name, found.get(name) ?? packageFolder(name, resolve(cwd, input)));
    }
  return found;
}

/**
 * Returns the packages that must stay external because external packages use them. Otherwise, the program would have
 * several copies of such a package.
 */
export function sharedPackages(
  external: ReadonlyMap<string, string | undefined>,
  packages: Packages,
): ReadonlySet<string> {
  const shared = [...external.values()].flatMap((folder) =>
    folder === undefined ? [] : packages.usedBy(folder, [...CLASS_LIBRARIES, CORE]),
  );
  // The framework uses the class libraries, too.
  return new Set(shared.includes(CORE) ? [CORE, ...CLASS_LIBRARIES] : shared);
}
