import { OptionChecks } from '../transport/option-checks.js';
import { Diagnostics } from '../errors/errors.js';
import type { Provider } from '../container/container.js';
import type { ErrorMapper, GuardLike, MiddlewareLike, RateLimit } from '../context/policies.js';
import type { FunctionDefinition } from '../decorators/define.js';
import type { ExtensionFactory } from '../engine/extension.js';
import type { AppExtension } from '../extensions/app-extension.js';
import { isObject } from '../protocol/json.js';
import { rateFaults } from '../invoke/limits.js';
import type { Constructor } from '../protocol/constructor.js';

/** The common options of apps and modules: definitions, and their dependencies. */
export interface ModuleParts {
  /** Classes with decorated methods. The services that these classes depend on are found automatically. */
  readonly services?: readonly Constructor[];
  /**
   * The location of classes with decorated methods:
   *
   * - a folder, such as `new URL('./services/', import.meta.url)`
   * - a URL pattern with `*`, `**` or `{a,b}`, such as `new URL('./{tools,prompts}/*.js', import.meta.url)`; `.js` also
   *   matches `.ts`
   *
   * All module files in these places are imported, except for test files and `.d.ts` files. The exported classes of an
   * imported file are served if they have decorated methods. A class without `@Service` is not served if another found
   * class extends it. A compiled file is skipped with a warning if the source files in its source map no longer exist.
   * If no compiled file has an existing source file, no file is skipped.
   */
  readonly discover?: URL | readonly URL[];
  /** Definitions from `defineTool`, `defineResource`, `definePrompt` and `defineCompletion`. */
  readonly definitions?: readonly FunctionDefinition[];
  /**
   * Providers of services, for example of undecorated classes and of values with a token. The providers of a module
   * apply to the whole app.
   */
  readonly providers?: readonly Provider[];
  /** Guards that run, in this order, before every handler of the app or module. */
  readonly guards?: readonly GuardLike[];
  /** Middleware that runs around every handler of the app or module. The first in the list is the outermost. */
  readonly middleware?: readonly MiddlewareLike[];
  /** Mappers for the errors of all handlers of the app or module; see `mapError`. */
  readonly errors?: readonly ErrorMapper[];
  /** Protocol extensions, in addition to the extensions that every app includes. */
  readonly extensions?: readonly (ExtensionFactory | AppExtension)[];
}

/** Options of `defineModule`. Guards, middleware and error mappers apply only to the module's own definitions. */
export interface ModuleOptions extends ModuleParts {
  /**
   * The name of the module in messages to its author.
   *
   * @default the prefix
   */
  readonly name?: string;
  /**
   * Modules that this module needs. Each imported module becomes part of the app once, even if several modules import
   * it. An imported module keeps its own policies and prefix.
   */
  readonly imports?: readonly Module[];
  /**
   * Separates the names of the module's definitions from those of other modules. With `helpdesk`, the tool
   * `create_ticket` is served as `helpdesk_create_ticket`, and the resource `tickets://{id}` as
   * `tickets://helpdesk/{id}`. The names of prompts change like those of tools. URIs that have a meaning outside the
   * server (`ui:`, `file:`, `http:`, `https:`) are not changed. Write the names and URIs in `@Complete` without the
   * prefix of the module.
   */
  readonly prefix?: string;
  /** Limits on how often clients can call the module's definitions. Calls of all definitions count together. */
  readonly limits?: ModuleLimits;
}

/** Limits on the work that clients may cause in a module. */
export interface ModuleLimits {
  /**
   * How often clients can use the module's tools, resources, prompts and completions. A call is allowed only if it
   * stays within every limit in the list.
   */
  readonly rates?: readonly RateLimit[];
}

/** A part of an app, created by `defineModule`. */
export interface Module extends ModuleOptions {
  readonly kind: 'module';
}

/**
 * Creates a part of an app: its definitions, their dependencies and their policies.
 *
 * Guards and middleware of the app run first, then those of the module, then those of the class, and then those of
 * the method.
 *
 * @param options the definitions, their dependencies and their policies.
 * @returns the module, for `createApp({ modules })` or the `imports` of another module.
 * @throws DefinitionError if an option is unknown, if a value is not a list but must be one, or if a rate limit is
 *   invalid.
 * @example
 * ```ts
 * export const helpdesk = defineModule({
 *   prefix: 'helpdesk',
 *   services: [Tickets],
 *   providers: [provide(MAILER, mailer)],
 *   guards: [isEmployee],
 * });
 * const app = await createApp({ name: 'office', version: '1.0.0', modules: [helpdesk] });
 * ```
 */
export function defineModule(options: ModuleOptions): Module {
  requireLists('defineModule', options, 'imports');
  const checks = new OptionChecks('defineModule');
  checks.known(options, [...LISTS, 'discover', 'name', 'imports', 'prefix', 'limits']);
  const { rates } = checks.group('limits', options.limits, ['rates']);
  for (const { option, what, fix } of rateFaults(rates)) checks.refuse(`limits.rates${option}`, what, fix);
  checks.throwIfAny();
  return Object.freeze({ ...options, kind: 'module' as const });
}

const LISTS = [
  'services',
  'definitions',
  'providers',
  'guards',
  'middleware',
  'errors',
  'extensions',
] as const;

/**
 * Checks that certain options are lists, so that other functions can check their entries.
 *
 * @throws DefinitionError that contains the names of the options that are not lists.
 */
export function requireLists(maker: string, options: ModuleParts, ...more: readonly string[]): void {
  const diagnostics = new Diagnostics();
  if (!isObject(options)) {
    diagnostics.at(`${maker}()`).add('SIGIL_INVALID_OPTIONS', 'it needs an object', `write ${maker}({ … })`);
    return diagnostics.throwIfAny();
  }
  for (const [option, given] of Object.entries(options)) {
    if (![...LISTS, ...more].includes(option) || given === undefined || Array.isArray(given)) continue;
    const at = diagnostics.at(`${maker}({ ${option} })`);
    at.add('SIGIL_INVALID_OPTIONS', 'it must be a list', `write ${option}: [...]`);
  }
  diagnostics.throwIfAny();
}

/** Returns every module of an app once, with a name for messages. A module comes after the modules in its `imports`. */
export function allModules(
  modules: readonly Module[],
  diagnostics: Diagnostics,
): ReadonlyMap<Module, string> {
  const found = new Map<Module, string>();
  const visit = (one: unknown, where: string, path: readonly unknown[]): void => {
    if (!isModule(one)) {
      const fix =
        'pass results of defineModule(); if an entry is undefined, the usual cause is that two files import each other';
      return diagnostics.at(where).add('SIGIL_INVALID_OPTIONS', `${String(one)} is not a module`, fix);
    }
    if (found.has(one) || path.includes(one)) return;
    const { prefix } = one;
    const named = one.name ?? prefix;
    const importing = `defineModule({ imports }) of ${named ?? 'a nameless module'}`;
    for (const imported of one.imports ?? []) visit(imported, importing, [...path, one]);
    const name = `module '${named ?? found.size + 1}'`;
    found.set(one, name);
    if (prefix === undefined || (typeof prefix === 'string' && /^[A-Za-z0-9_-]+$/.test(prefix))) return;
    const what = `'${String(prefix)}' is not a valid prefix`;
    const fix = 'use letters, digits, underscores and hyphens';
    diagnostics.at(`defineModule({ prefix }) of ${name}`).add('SIGIL_INVALID_OPTIONS', what, fix);
  };
  for (const one of modules) visit(one, 'createApp({ modules })', []);
  return found;
}

function isModule(value: unknown): value is Module {
  return isObject(value) && value['kind'] === 'module';
}
