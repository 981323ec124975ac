import { createRequire } from 'node:module';
import { existsSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import type { Plugin } from 'esbuild';
import { importedPackage } from './module-text.js';

/*
 * class-validator has more than a hundred rules, and brings metadata of telephone numbers for one of them. The framework imports all of it,
 * because any rule may be used; in a build it is given those that the program itself imports: a rule cannot be on a class otherwise. They
 * are the very modules of the packages, as ES modules, of which a bundler takes along only what is asked for.
 */

const VALIDATOR = 'class-validator';
const TRANSFORMER = 'class-transformer';
const CONTAINER = 'typedi';
/** What the framework reads of class-validator whatever the rules. */
const ALWAYS = ['getMetadataStorage', 'Allow'];
const NAMESPACE = 'sigil-class-validator';
/** The module that imports parts for the framework. */
export const PRESENT_PARTS = 'sigil:present';

/** The namespace of packages that the framework imports, and that are not installed. */
export const NOT_INSTALLED = 'not-installed';

/** Which exports of class-validator a program imports. */
export type Rules = readonly string[] | 'all';

/**
 * Resolves the class libraries to their ES modules, each to one copy.
 *
 * @param framework the folder of the framework.
 * @param rules what it is given of class-validator.
 * @param isOrdered whether all modules begin in their order.
 */
export function classLibraries(framework: string, rules: Rules, isOrdered = false): Plugin {
  return {
    name: 'class-libraries',
    setup(bundler) {
      bundler.onResolve({ filter: /^(?:class-validator|class-transformer|typedi)(?:$|\/)/ }, (asked) => {
        const [name = ''] = asked.path.split('/');
        const folder = packageFolder(name, join(asked.resolveDir, 'index.js'));
        if (folder === undefined) return undefined;
        // Whichever copy of its storage is asked for: there is one.
        if (name === TRANSFORMER && asked.path.endsWith('/storage.js'))
          return { path: join(folder, 'esm2015/storage.js'), sideEffects: false };
        if (asked.path !== name) return undefined;
        // Its modules import each other in a circle, which only its CommonJS form bears in any order.
        if (name === CONTAINER)
          return isOrdered
            ? { path: join(folder, 'esm2015/index.js'), sideEffects: false }
            : { path: join(folder, 'cjs/index.js') };
        const path = join(folder, 'esm2015/index.js');
        if (!existsSync(path)) return undefined;
        const isFramework = asked.importer.startsWith(framework + sep) || asked.importer === PRESENT_PARTS;
        if (name === VALIDATOR && isFramework && rules !== 'all')
          return { path, namespace: NAMESPACE, pluginData: folder };
        return { path, sideEffects: false };
      });
      // Its rules are in a second form, as ES modules.
      bundler.onResolve({ filter: /^validator\/lib\// }, ({ path, importer }) => {
        const folder = packageFolder('validator', importer);
        const module = folder && join(folder, `${path.replace(/^validator\/lib\//, 'es/lib/')}.js`);
        return module !== undefined && existsSync(module) ? { path: module, sideEffects: false } : undefined;
      });
      bundler.onLoad({ filter: /.*/, namespace: NAMESPACE }, ({ path, pluginData }) => {
        const names = [...new Set([...ALWAYS, ...(rules === 'all' ? [] : rules)])].sort();
        return {
          contents: `export { ${names.join(', ')} } from ${JSON.stringify(path)};`,
          resolveDir: String(pluginData),
        };
      });
    },
  };
}

/** Leaves class-validator outside, to see in the bundle what a program imports of it. */
export function withoutValidator(framework: string): Plugin {
  return {
    name: 'without-class-validator',
    setup(bundler) {
      bundler.onResolve({ filter: /^class-validator(?:$|\/)/ }, ({ importer, path }) => ({
        // What the framework itself imports is to be told from what the program does.
        path: importer.startsWith(framework + sep) ? `framework:${path}` : path,
        external: true,
      }));
    },
  };
}

/**
 * Has the framework find that a package is not installed, which it can do without, as it finds that in Node. An import that stayed in the file
 * would be one of a package that is outside of it.
 */
export function notInstalled(framework: string): Plugin {
  return {
    name: NOT_INSTALLED,
    setup(bundler) {
      const filter = /^(?:class-validator|class-transformer|@sigil\/(?:stdio|http))(?:$|\/)/;
      bundler.onResolve({ filter }, ({ path, importer, resolveDir }) => {
        if (!importer.startsWith(framework + sep)) return undefined;
        return isInstalled(importedPackage(path), join(resolveDir, 'index.js'))
          ? undefined
          : { path, namespace: NOT_INSTALLED };
      });
      bundler.onLoad({ filter: /.*/, namespace: NOT_INSTALLED }, ({ path }) => ({
        contents: `export {}; throw Object.assign(new Error(${JSON.stringify(`Cannot find package '${path}'`)}), { code: 'ERR_MODULE_NOT_FOUND' });`,
      }));
    },
  };
}

const IMPORT = /^import\s*(?<clause>[^"';]*?)\s*from\s*"class-validator";/gm;
const WHOLE = /__require\("class-validator"\)|import\("class-validator"\)|^export \* from "class-validator"/m;

/**
 * What a program imports of class-validator.
 *
 * @param bundle the program, bundled with class-validator left outside.
 */
export function importedRules(bundle: string): Rules {
  if (WHOLE.test(bundle)) return 'all';
  const names = new Set<string>();
  for (const { groups } of bundle.matchAll(IMPORT)) {
    const clause = groups?.['clause'] ?? '';
    if (!clause.startsWith('{')) return 'all';
    for (const one of clause.slice(1, -1).split(',')) {
      const [name = ''] = one.trim().split(/\s+as\s+/);
      if (name !== '') names.add(name);
    }
  }
  return [...names].sort();
}

/** The folder of a package that a file imports; `undefined` when it is not installed. */
export function packageFolder(name: string, importer: string): string | undefined {
  try {
    return dirname(createRequire(importer).resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}

/** Whether a file can import a package. Some packages do not export their manifest, by which their folder is found. */
export function isInstalled(name: string, importer: string): boolean {
  if (packageFolder(name, importer) !== undefined) return true;
  const folders = createRequire(importer).resolve.paths(name) ?? [];
  return folders.some((folder) => existsSync(join(folder, name)));
}
