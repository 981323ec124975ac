import type { ClassTransformer } from '../schema/index.js';
import type { LeftOut } from '../protocol/left-out.js';
import { once } from '../protocol/maybe-promise.js';
import {
  type CommonJsRequire,
  environmentVariable,
  evaluated,
  hasFile,
  type ModuleLoader,
  moduleLoader,
} from './platform.js';

/** What class-validator requires to check texts with. */
const CHECKS = /^(?:validator|validator\/lib\/\w+|libphonenumber-js\/max)$/;

/*
 * Done when @sigil/core is imported, which most programs do before class-validator: without these two, a program with a DTO
 * takes a third longer to its first answer. Neither changes what a program does, so that where one fails nothing is said.
 */
const loadValidator = (globalThis as LeftOut).SIGIL_WITHOUT_RUNTIMES ? undefined : prepareStart();
// Whatever is wrong with it is said here, because Node asserts that nothing else has tried to load it.
loadValidator?.();

/** @returns loads class-validator, where the module that imports it waits for this one to be evaluated. */
function prepareStart(): (() => object) | undefined {
  try {
    const loader = moduleLoader();
    // Bundles that are CommonJS have no such URL.
    const here = import.meta.url as string | undefined;
    if (!loader || !here?.startsWith('file:')) return undefined;
    // Bundles have class-validator inside of them.
    const isBundled = !/\/core\/dist\/bundle\/[^/]+$/.test(here);
    if (isBundled && !loader.enableCompileCache) return undefined;
    const validator = resolved(loader.createRequire(here), 'class-validator');
    const folder = cacheFolder(validator, pathOf(here));
    // Coverage is less exact for functions out of the cache.
    if (folder !== undefined && environmentVariable('NODE_V8_COVERAGE') === undefined)
      loader.enableCompileCache?.(folder);
    return isBundled || validator === undefined ? undefined : postponeChecks(loader, validator);
  } catch {
    // The program starts as it would without.
    return undefined;
  }
}

/**
 * A folder inside the `node_modules` of the program, so that what is kept is as safe from others as the code itself.
 * `NODE_COMPILE_CACHE` names another, `NODE_DISABLE_COMPILE_CACHE=1` wants none; Node sees to both.
 */
function cacheFolder(...files: readonly (string | undefined)[]): string | undefined {
  const [installed] = files.flatMap((file) => /^.*?[\\/]node_modules(?=[\\/])/.exec(file ?? '')?.[0] ?? []);
  return installed === undefined ? undefined : `${installed}/.cache/sigil`;
}

/**
 * Has class-validator load what checks texts when that is first called: libphonenumber-js, whose tables take as long as a third of all
 * its rules, and the hundred files of validator, which take as long as another. Few programs have rules for more than some of them.
 *
 * @param path the main file of class-validator.
 */
function postponeChecks(loader: ModuleLoader, path: string): (() => object) | undefined {
  const { cache } = loader.createRequire(path);
  const known = cache[path];
  if (known) return known.loaded ? undefined : () => validatorAt(loader, path);
  const later = new loader.Module(path);
  const exports = once(() => {
    if (cache[path] === later) delete cache[path];
    return validatorAt(loader, path);
  });
  cache[path] = Object.defineProperty(Object.assign(later, { loaded: true }), 'exports', { get: exports });
  return undefined;
}

/** What class-validator exports. Its files are given stand-ins for what they require to check texts with. */
function validatorAt(loader: ModuleLoader, path: string): object {
  const require = loader.createRequire(path);
  const packages = /^.*[\\/](?=class-validator[\\/]cjs[\\/]index\.js$)/.exec(path)?.[0];
  // Nearly always they are beside it: to ask Node takes as long as it takes to read ten files.
  const isThere = (id: string): boolean =>
    (packages !== undefined && hasFile(`${packages}${id.replace(/\/.*/, '')}/package.json`)) ||
    resolved(require, id) !== undefined;
  const isWhole = ['validator', 'libphonenumber-js/max'].every(isThere);
  const standIn = (id: string): object =>
    CHECKS.test(id) ? whenUsed(once(() => require(require.resolve(id)))) : require(id);
  return (isWhole && evaluated(loader, path, standIn)) || require(path);
}

/** Stands for what a module exports, and loads it when it is used. */
function whenUsed(load: () => object): object {
  return new Proxy(() => undefined, {
    apply: (_, self, values) => Reflect.apply(load() as () => unknown, self, values) as unknown,
    // What a compiler writes for an import asks for these two: the second is what is imported by default, the first whether it is named so.
    get: (_, name) => {
      if (name === '__esModule') return true;
      const whole = load();
      return name === 'default' && !('__esModule' in whole) ? whole : (Reflect.get(whole, name) as unknown);
    },
    has: (_, name) => Reflect.has(load(), name),
    ownKeys: () => Reflect.ownKeys(load()),
    getOwnPropertyDescriptor: (_, name) => {
      const found = Reflect.getOwnPropertyDescriptor(load(), name);
      return found && { ...found, configurable: true };
    },
  });
}

/** One of the things that class-validator exports. */
const NAME = 'getMetadataStorage';

/**
 * Finds the class-transformer that an import would give: the part that remembers what its decorators recorded, which is a tenth of it.
 * Most programs need no more; an import would even read all of it twice, to know what it exports.
 *
 * @param validator what an import of class-validator gives.
 * @returns undefined where an import may give something else than `require`, as it does in bundles and test runners.
 */
export function findTransformer(validator: object): ClassTransformer | undefined {
  try {
    const here = new URL('.', import.meta.url as string | undefined).href;
    const require = moduleLoader()?.createRequire(here);
    // In a bundle, this module is not where @sigil/core is.
    const isInstalled =
      require &&
      pathOf(here) ===
        require
          .resolve('@sigil/core')
          .replaceAll('\\', '/')
          .replace(/[^/]+$/, '');
    const known = isInstalled && require.cache[require.resolve('class-validator')];
    if (!known || Reflect.get(known.exports, NAME) !== Reflect.get(validator, NAME)) return undefined;
    const path = require.resolve('class-transformer');
    const load = (): ClassTransformer => require(path) as ClassTransformer;
    const storage = require(path.replace(/index\.js$/, 'storage.js')) as {
      readonly defaultMetadataStorage?: ClassTransformer['transforms'];
    };
    const transforms = storage.defaultMetadataStorage;
    return (
      transforms && {
        transforms,
        plainToInstance: (...given) => load().plainToInstance(...given),
        instanceToPlain: (instance) => load().instanceToPlain(instance),
      }
    );
  } catch {
    return undefined;
  }
}

/** @param url of a file. */
function pathOf(url: string): string {
  return decodeURI(new URL(url).pathname).replace(/^\/(?=[A-Z]:)/i, '');
}

function resolved(require: CommonJsRequire, id: string): string | undefined {
  try {
    return require.resolve(id);
  } catch {
    return undefined;
  }
}
