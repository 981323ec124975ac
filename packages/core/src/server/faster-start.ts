import { type CommonJsRequire, environmentVariable, moduleLoader } from './platform.js';

/*
 * Done when @sigil/core is imported, which most programs do before class-validator: without these two, a program with a DTO
 * takes half as long again to its first answer. Neither changes what a program does, so that where one fails nothing is said.
 */
try {
  const loader = moduleLoader();
  // Bundles that are CommonJS have no such URL, and class-validator inside of them.
  const here = import.meta.url as string | undefined;
  if (loader && here?.startsWith('file:')) {
    const require = loader.createRequire(here);
    const validator = resolved(require, 'class-validator');
    const folder = cacheFolder(validator, decodeURI(new URL(here).pathname).replace(/^\/(?=[A-Z]:)/i, ''));
    // Coverage is less exact for functions out of the cache.
    if (folder !== undefined && environmentVariable('NODE_V8_COVERAGE') === undefined)
      loader.enableCompileCache?.(folder);
    if (validator !== undefined) postponePhoneNumbers(loader.createRequire(validator));
  }
} catch {
  // The program starts as it would without.
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
 * Has class-validator load libphonenumber-js when a phone number is first checked: its tables take as long as a third of all
 * its rules, and few programs have such a rule.
 */
function postponePhoneNumbers(require: CommonJsRequire): void {
  const path = resolved(require, 'libphonenumber-js/max');
  if (path === undefined || require.cache[path]) return;
  const load = (): object => {
    if (require.cache[path] === postponed) delete require.cache[path];
    return require(path);
  };
  const exports = new Proxy(
    {},
    {
      get: (_, name) => Reflect.get(load(), name) as unknown,
      has: (_, name) => Reflect.has(load(), name),
      ownKeys: () => Reflect.ownKeys(load()),
      getOwnPropertyDescriptor: (_, name) => {
        const found = Reflect.getOwnPropertyDescriptor(load(), name);
        return found && { ...found, configurable: true };
      },
    },
  );
  const postponed = { exports, loaded: true };
  require.cache[path] = postponed;
}

function resolved(require: CommonJsRequire, id: string): string | undefined {
  try {
    return require.resolve(id);
  } catch {
    return undefined;
  }
}
