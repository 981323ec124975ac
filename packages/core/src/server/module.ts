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
  /** Classes with decorated methods. Their dependencies are found automatically. */
  readonly services?: readonly Constructor[];
  /**
   * Folders that contain such classes, for example `new URL('./services/', import.meta.url)`, or patterns with `*`, `**` and
   * `{a,b}`, for example `new URL('./{tools,prompts}/*.js', import.meta.url)`. In a pattern, `.js` also matches `.ts`.
   *
   * Every module found there is imported, except tests and declarations, and its exported classes with decorated methods are
   * served. A class without `@Service` is not served itself if another found class extends it. A compiled file is left
   * out with a warning if its source map shows that its source no longer exists.
   */
  readonly discover?: URL | readonly URL[];
  /** Definitions from `defineTool`, `defineResource`, `definePrompt` and `defineCompletion`. */
  readonly definitions?: readonly FunctionDefinition[];
  /** Providers of tokens, values and undecorated classes, for the whole app. */
  readonly providers?: readonly Provider[];
  /** Guards that run before every handler, outermost first. */
  readonly guards?: readonly GuardLike[];
  /** Middleware that runs around every handler, outermost first. */
  readonly middleware?: readonly MiddlewareLike[];
  /** Mappers for the errors of all handlers; see `mapError`. */
  readonly errors?: readonly ErrorMapper[];
  /** Protocol extensions, in addition to the included ones. */
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
  /** Modules that this module needs. Each is part of the app once, however many modules import it, and keeps its policies and prefix. */
  readonly imports?: readonly Module[];
  /**
   * Separates the names of the module's definitions from those of other modules. With `helpdesk`, the tool `create_ticket` is served
   * as `helpdesk_create_ticket`, and `tickets://{id}` as `tickets://helpdesk/{id}`. Prompts are named like tools. URIs that have a
   * meaning outside the server (`ui:`, `file:`, `http:`, `https:`) are not changed. Within the module, `@Complete` names prompts
   * and templates without the prefix.
   */
  readonly prefix?: string;
  /** How often the module's definitions may be called, all together. */
  readonly limits?: ModuleLimits;
}

/** Limits on the work that clients may cause in a module. */
export interface ModuleLimits {
  /** How often the module's tools, resources, prompts and completions may be used. All of these rates apply. */
  readonly rates?: readonly RateLimit[];
}

/** A part of an app, created by `defineModule`. */
export interface Module extends ModuleOptions {
  readonly kind: 'module';
}

/**
 * Creates a part of an app: its definitions, their dependencies and their policies.
 *
 * Guards and middleware of the app run first, then those of the module, the class and the method.
 *
 * @param options the definitions, their dependencies and their policies.
 * @returns the module, for `createApp({ modules })` or the `imports` of another module.
 * @throws DefinitionError if a part that must be a list is not one.
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
 * Refuses options that must be lists and are not, because they could not be checked further.
 *
 * @throws DefinitionError that names these options.
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

/** Every module of an app once, after the modules that it imports, with its name for messages. */
export function allModules(
  modules: readonly Module[],
  diagnostics: Diagnostics,
): ReadonlyMap<Module, string> {
  const found = new Map<Module, string>();
  const visit = (one: unknown, where: string, path: readonly unknown[]): void => {
    if (!isModule(one)) {
      const fix =
        'list what defineModule() returned; an undefined entry usually means that two files import each other';
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
