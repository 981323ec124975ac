import type { Diagnostics } from '../errors/errors.js';
import { nameOf, type Provider, type ServiceId } from '../container/container.js';
import { type FunctionDefinition, functionOf } from '../decorators/define.js';
import { serviceOf } from '../metadata/metadata.js';
import type { Constructor } from '../protocol/constructor.js';
import { isObject } from '../protocol/json.js';
import type { Logger } from '../protocol/logging.js';
import type { HandlerDefinition, SchemaLike } from '../metadata/definitions.js';
import type { Declaration } from '../invoke/declaration.js';
import type { Backend } from '../backend/backend.js';
import { defaultName } from '../registry/build.js';
import { readLimits } from '../invoke/limits.js';
import { scan } from '../registry/scan.js';
import type { AppExtension } from '../extensions/app-extension.js';
import { explicitSource, groupsOf } from '../registry/parameters.js';
import { hasClassValidator, isDto, type SchemaSource } from '../schema/index.js';
import type { ExtensionFactory } from '../engine/extension.js';
import { apps } from '../extensions/apps/apps.js';
import { MemoryTaskStore } from '../memory/memory-task-store.js';
import { tasks, type TasksOptions } from '../extensions/tasks/tasks.js';
import type { AppOptions } from './app-options.js';
import { discover } from './discover.js';
import { refuseOption } from './check-options.js';
import { workerKey } from './platform.js';
import { allModules, type ModuleOptions, type ModuleParts } from './module.js';

/** The collected parts of an app and its modules. */
export interface Collected {
  readonly declarations: readonly Declaration[];
  readonly providers: readonly Provider[];
  readonly extensions: readonly AppExtension[];
}

/** The app itself, or one of its modules. */
interface Unit {
  /**
   * The name of the module, for messages to the author; absent for the app itself, whose policies are
   * outermost.
   */
  readonly name?: string;
  readonly parts: Omit<ModuleOptions, 'name' | 'imports'>;
}

/**
 * Finds the definitions of an app and its modules. Definitions come from listed classes, discovered classes,
 * function definitions and extensions.
 */
export async function collect(
  options: AppOptions,
  diagnostics: Diagnostics,
  logger: Logger,
  backend: Backend | undefined,
): Promise<Collected> {
  const modules = [...allModules(options.modules ?? [], diagnostics)];
  const units: Unit[] = [{ parts: options }, ...modules.map(([parts, name]) => ({ name, parts }))];
  const found = new Map<Unit, readonly Constructor[]>();
  for (const unit of units) {
    const places = unit.parts.discover;
    if (places) found.set(unit, await discover(places, diagnostics, logger));
  }
  const served = withoutBases([...found.values()].flat());
  const declarations = units.flatMap((unit) => {
    const classes = (found.get(unit) ?? []).filter((cls) => served.has(cls));
    return [
      ...scan([...(unit.parts.services ?? []), ...classes], diagnostics).map((declaration) =>
        withOwnPolicies(declaration, options),
      ),
      ...functionsOf(unit, diagnostics).map((definition) => declareFunction(definition, diagnostics)),
    ].map((declaration) => ofUnit(declaration, unit));
  });
  // One that several list belongs to the first of them.
  const owners = new Map(
    [...units]
      .reverse()
      .flatMap((unit) => (unit.parts.extensions ?? []).map((given) => [given, unit] as const)),
  );
  const given = [...new Set(units.flatMap(({ parts }) => parts.extensions ?? []))];
  if (!given.every(isExtension))
    refuseOption('extensions', 'a list of extensions; if an entry is a promise, await it', diagnostics);
  const extensions = allExtensions(given, options.tasks, backend);
  for (const { problems = [] } of extensions) diagnostics.report(problems);
  const providers = collectProviders(units, options.override ?? [], diagnostics);
  if (options.container && providers.length > 0)
    refuseOption(
      'container',
      'used without "providers" and "override": register these services in your own container',
      diagnostics,
    );
  return {
    declarations: [
      ...declarations,
      ...extensions.flatMap((extension) => {
        const { definitions = [] } = extension;
        return definitions.map((definition) =>
          guardedBy(declareFunction(definition, diagnostics), owners.get(extension) ?? { parts: options }),
        );
      }),
    ].map((declaration) => withPolicies(declaration, options)),
    providers,
    extensions,
  };
}

function functionsOf(
  { parts: { definitions = [] } }: Unit,
  diagnostics: Diagnostics,
): readonly FunctionDefinition[] {
  const isDefinition = (given: unknown): boolean => isObject(given) && typeof given['handle'] === 'function';
  if (!definitions.every(isDefinition))
    refuseOption('definitions', 'a list of results of defineTool() and similar functions', diagnostics);
  return definitions.filter(isDefinition);
}

/**
 * Copies a definition's declaration, and adds the guards, middleware and error mappers of an app or module to the copy.
 * The added guards and middleware run before those of the declaration.
 */
export function withPolicies(
  declaration: Declaration,
  { guards = [], middleware = [], errors = [] }: Pick<ModuleParts, 'guards' | 'middleware' | 'errors'>,
): Declaration {
  return {
    ...declaration,
    guards: [...guards, ...declaration.guards],
    middleware: [...middleware, ...declaration.middleware],
    errors: [...declaration.errors, ...errors],
  };
}

/**
 * Calls the option `policies` for a decorated method, and adds the result to the method's declaration. The added guards
 * and middleware run before those of the method's decorators.
 */
export function withOwnPolicies(declaration: Declaration, { policies }: AppOptions): Declaration {
  const { target } = declaration;
  // Values other than a function are a problem already.
  if (typeof policies !== 'function' || target.kind === 'function') return declaration;
  return withPolicies(declaration, policies(target.cls, target.method));
}

/** Removes undecorated classes that other classes extend, because they only serve as base classes. */
function withoutBases(classes: readonly Constructor[]): ReadonlySet<Constructor> {
  const isExtended = (cls: Constructor): boolean => classes.some((other) => other.prototype instanceof cls);
  return new Set(classes.filter((cls) => serviceOf(cls) !== undefined || !isExtended(cls)));
}

function ofUnit(declaration: Declaration, unit: Unit): Declaration {
  const own = guardedBy(declaration, unit);
  const { prefix } = unit.parts;
  if (prefix === undefined) return own;
  return { ...own, definition: prefixed(own, prefix), prefixUri: (uri) => prefixUri(uri, prefix) };
}

/**
 * Adds the policies of a module to the definitions of an extension that the module lists. Their names stay
 * unchanged, because clients know them.
 */
function guardedBy(declaration: Declaration, { name, parts }: Unit): Declaration {
  if (name === undefined) return declaration;
  const rates = parts.limits?.rates ?? [];
  const limits = [...rates.map((rate) => ({ rate, module: name })), ...declaration.limits];
  return withPolicies({ ...declaration, limits, where: `${declaration.where} (${name})` }, parts);
}

/** URI schemes that have a meaning outside of the server. */
const OUTSIDE: ReadonlySet<string> = new Set(['ui', 'file', 'http', 'https']);
const URI = /^([A-Za-z][A-Za-z0-9+.-]*):(\/{0,3})(.*)$/s;

/** Adds the prefix of a module to the name or URI of a definition. */
function prefixed({ definition, target }: Declaration, prefix: string): HandlerDefinition {
  switch (definition.kind) {
    case 'tool':
    case 'prompt':
      return { ...definition, name: `${prefix}_${definition.name ?? defaultName(target)}` };
    case 'resource':
      return { ...definition, uri: prefixUri(definition.uri, prefix) };
    case 'completion': {
      const { ref } = definition;
      // A name cannot have a colon, and a URI cannot be without one.
      return { ...definition, ref: ref.includes(':') ? prefixUri(ref, prefix) : `${prefix}_${ref}` };
    }
  }
}

/** Adds a prefix as the first segment of the path of a URI or URI template. */
function prefixUri(uri: string, prefix: string): string {
  const [, scheme = '', slashes = '', rest = ''] = URI.exec(uri) ?? [];
  if (scheme === '' || OUTSIDE.has(scheme.toLowerCase())) return uri;
  // A variable part that expands to its own delimiter needs no slash before it.
  const slash = rest === '' || /^(?:\{?[?#/]|\{[;.])/.test(rest) ? '' : '/';
  return `${scheme}:${slashes}${prefix}${slash}${rest}`;
}

/** Returns the valid providers of a list. Invalid ones are reported. */
function checkedProviders(
  providers: readonly Provider[],
  option: 'providers' | 'override',
  diagnostics: Diagnostics,
): readonly Provider[] {
  const isProvider = (given: unknown): boolean =>
    isObject(given) &&
    (typeof given['provide'] === 'function' ||
      typeof given['provide'] === 'string' ||
      isObject(given['provide'])) &&
    ['useValue', 'useClass', 'useFactory', 'useExisting'].some((way) => way in given);
  if (!providers.every(isProvider)) {
    const expected = 'a list of results of provide(id, value) and provideFactory(id, { useFactory })';
    refuseOption(
      option,
      `${expected}; if an id is undefined, the usual cause is that two files import each other`,
      diagnostics,
    );
  }
  return providers.filter(isProvider);
}

function collectProviders(
  units: readonly Unit[],
  override: readonly Provider[],
  diagnostics: Diagnostics,
): Provider[] {
  const held = new Map<ServiceId, { readonly provider: Provider; readonly owner: string }>();
  for (const { name = 'the app', parts } of units) {
    for (const provider of checkedProviders(parts.providers ?? [], 'providers', diagnostics)) {
      const first = held.get(provider.provide);
      if (first && !areSame(first.provider, provider))
        refuseProvider(provider, first.owner, name, diagnostics);
      if (!first) held.set(provider.provide, { provider, owner: name });
    }
  }
  for (const provider of checkedProviders(override, 'override', diagnostics))
    held.set(provider.provide, { provider, owner: 'override' });
  return [...held.values()].map(({ provider }) => provider);
}

function areSame(one: Provider, other: Provider): boolean {
  const [a, b] = [Object.entries(one), other as unknown as Record<string, unknown>];
  return a.length === Object.keys(b).length && a.every(([key, value]) => Object.is(b[key], value));
}

function refuseProvider(
  { provide }: Provider,
  first: string,
  second: string,
  diagnostics: Diagnostics,
): void {
  const what =
    first === second
      ? `${first} has two providers for it`
      : `${first} and ${second} have different providers for it`;
  const fix =
    'keep one of them, because providers apply to the whole app; in a test, replace one with "override"';
  diagnostics.at(nameOf(provide)).add('SIGIL_DUPLICATE_PROVIDER', what, fix);
}

/**
 * Converts the result of `defineTool()` or a similar function to a `Declaration`, the common form of all definitions.
 */
export function declareFunction(
  { definition, input, handle, ...policies }: FunctionDefinition,
  diagnostics: Diagnostics,
): Declaration {
  const where = `${functionOf(definition.kind)}('${nameOfDefinition(definition)}')`;
  const listOf = <K extends keyof typeof policies>(option: K): (typeof policies)[K] | [] => {
    const given: unknown = policies[option];
    if (Array.isArray(given)) return policies[option];
    const fix = `write ${option}: [...]`;
    diagnostics.at(where).at(option).add('SIGIL_INVALID_POLICY', 'it must be a list', fix);
    return [];
  };
  return {
    definition,
    where,
    target: { kind: 'function', handle },
    binding: { parameters: [], source: sourceOf(definition, input) },
    guards: listOf('guards'),
    middleware: listOf('middleware'),
    scopes: listOf('scopes'),
    errors: listOf('errors'),
    limits: readLimits(policies.limits, diagnostics.at(where)),
  };
}

function nameOfDefinition(definition: HandlerDefinition): string {
  if (definition.kind === 'completion') return definition.ref;
  return String(definition.name ?? ('uri' in definition ? definition.uri : ''));
}

function sourceOf(definition: HandlerDefinition, input: SchemaLike | undefined): SchemaSource {
  if (input !== undefined) return explicitSource(input, groupsOf(definition));
  // Without a schema, a function takes the variables of its template as they come.
  return definition.kind === 'resource' ? { kind: 'schema', schema: { type: 'object' } } : { kind: 'none' };
}

/** Returns the extensions of an app, both built-in and its own, in the same form. */
function allExtensions(
  given: readonly (ExtensionFactory | AppExtension)[],
  options: TasksOptions | undefined,
  backend: Backend | undefined,
): readonly AppExtension[] {
  const own = given
    .filter(isExtension)
    .map((extension) => (typeof extension === 'function' ? { create: extension } : extension));
  const shared: TasksOptions = backend ? { store: backend.tasks } : {};
  const all = { ...shared, ...options };
  // Beside other workers, a task that only this one knows would be lost to its client.
  const isOffered = all.store !== undefined || workerKey() === undefined;
  const outlives =
    backend !== undefined || !(all.store === undefined || all.store instanceof MemoryTaskStore);
  return [tasks(all, { isOffered, outlives }), apps, ...own];
}

/** Whether a value is an extension. A promise of an extension is not one. */
function isExtension(value: unknown): value is ExtensionFactory | AppExtension {
  return typeof value === 'function' || (isObject(value) && typeof value['create'] === 'function');
}

/**
 * Whether the app needs class-validator and class-transformer. It needs them if a class describes arguments or results
 * of a definition, or if the program has already loaded class-validator.
 */
export function needsClasses(declarations: readonly Declaration[]): boolean {
  if (hasClassValidator()) return true;
  return declarations.some(({ definition, binding, returns }) => {
    const output = 'output' in definition ? definition.output : undefined;
    return (
      returns !== undefined ||
      typeof output === 'function' ||
      Array.isArray(output) ||
      sourceHasClass(binding.source)
    );
  });
}

function sourceHasClass(source: SchemaSource): boolean {
  if (source.kind === 'class' || source.kind === 'array') return true;
  if (source.kind !== 'properties') return false;
  return source.properties.some(({ type, items }) => isDto(type) || isDto(items));
}
