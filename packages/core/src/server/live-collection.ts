import type { FunctionDefinition } from '../decorators/define.js';
import type { CompletionDefinition, HandlerDefinition } from '../metadata/definitions.js';
import { type Constructor, isConstructor } from '../protocol/constructor.js';
import { Diagnostics } from '../errors/errors.js';
import type { Declaration } from '../invoke/declaration.js';
import { checkPolicies } from '../invoke/compile-policies.js';
import type { BuildTools } from '../registry/build.js';
import { populate, removeCompletion } from '../registry/populate.js';
import type { Entry } from '../registry/entry.js';
import type { Collection, Registry } from '../registry/registry.js';
import { refuseEmpty, scan } from '../registry/scan.js';
import type { AppOptions } from './app-options.js';
import { declareFunction, withOwnPolicies, withPolicies } from './collect.js';
import { classesOf, policiesOf, type Services } from './services.js';

/**
 * All tools, all resources or all prompts of an app. You can add and remove definitions while the app runs. Several
 * changes in direct succession cause only one notification to subscribed clients.
 */
export interface LiveCollection<D extends HandlerDefinition> {
  /**
   * Adds one definition, or all definitions of this kind that the methods of a class declare. They are compiled like
   * the definitions that `createApp()` receives. If you remove a prompt or resource template, its completions are kept.
   * The completions apply again if you later add a prompt or template with the same name or URI.
   *
   * @throws DefinitionError if a definition is invalid, or if its name already exists. In that case, nothing is added.
   */
  add(definition: FunctionDefinition<D> | Constructor): void;
  /** Removes the definition that has this name or URI. @returns whether the definition existed. */
  remove(key: string): boolean;
  /** Whether a definition has this name or URI. */
  has(key: string): boolean;
  /** Returns the names or URIs of the definitions, in the order of their addition. */
  keys(): string[];
}

/** The sources of completions of an app. You can add and remove sources while the app runs. */
export interface LiveCompletions {
  /**
   * Adds one source of completions, or all sources from the methods of a class. A new source for an argument
   * replaces the argument's earlier source.
   *
   * @throws DefinitionError if a definition is invalid, for example because its prompt does not exist. In that
   *   case, nothing is added.
   */
  add(definition: FunctionDefinition<CompletionDefinition> | Constructor): void;
  /**
   * Removes a source of completions.
   *
   * @param ref the name of a prompt, or a URI template.
   * @returns whether the argument had completions.
   */
  remove(ref: string, argument: string): boolean;
  /** Whether an argument of a prompt or of a resource template has completions. */
  has(ref: string, argument: string): boolean;
}

/**
 * Compiles the definitions of one kind from a function definition or a class, and adds them to the registry.
 * @throws DefinitionError if a definition is invalid.
 */
export type Define = (definition: FunctionDefinition | Constructor, kind: HandlerDefinition['kind']) => void;

/**
 * Creates the object that adds and removes definitions of one kind. The registry stores resources and resource
 * templates in two collections, and every other kind in one.
 */
export function liveCollection<D extends HandlerDefinition>(
  kind: D['kind'],
  held: readonly Collection<Entry>[],
  define: Define,
): LiveCollection<D> {
  return {
    add: (definition) => define(definition, kind),
    remove: (key) => held.some((collection) => collection.delete(key)),
    has: (key) => held.some((collection) => collection.has(key)),
    keys: () => held.flatMap((collection) => [...collection].map((entry) => entry.key)),
  };
}

/** Creates an object through which the completions of a registry can be changed. */
export function liveCompletions(registry: Registry, define: Define): LiveCompletions {
  return {
    add: (definition) => define(definition, 'completion'),
    remove: (ref, argument) => removeCompletion(registry, ref, argument),
    has: (ref, argument) => registry.completions.get(ref)?.has(argument) ?? false,
  };
}

/** Returns a function that compiles definitions, and adds them to the registry of a running app. */
export function adding(
  options: AppOptions,
  services: Services,
  registry: Registry,
  tools: Omit<BuildTools, 'diagnostics'>,
): Define {
  return (definition, kind) => {
    const diagnostics = new Diagnostics();
    const added = declare(definition, kind, diagnostics).map((declaration) =>
      withPolicies(withOwnPolicies(declaration, options), options),
    );
    const policies = policiesOf(added, {});
    checkPolicies(policies, added, options, diagnostics);
    diagnostics.report(services.check(classesOf(added, policies), []));
    populate(registry, added, { ...tools, diagnostics });
    diagnostics.throwIfAny();
  };
}

/** Returns the declarations of a function, or of a class's methods of one kind with their completions. */
function declare(
  definition: FunctionDefinition | Constructor,
  kind: HandlerDefinition['kind'],
  diagnostics: Diagnostics,
): Declaration[] {
  if (!isConstructor(definition)) return [declareFunction(definition, diagnostics)];
  const scanned = scan([definition], diagnostics);
  const found = scanned.filter((declaration) => declaration.definition.kind === kind);
  if (found.length === 0 && diagnostics.problems.length === 0) refuseEmpty(definition, diagnostics, [kind]);
  const completions = scanned.filter(
    (declaration) =>
      declaration.definition.kind === 'completion' &&
      (kind === 'prompt' || kind === 'resource') &&
      declaration.definition.ref.includes(':') === (kind === 'resource'),
  );
  return [...found, ...completions];
}
