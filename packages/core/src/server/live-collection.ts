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

/** The definitions of one kind, which can change while the app runs. Subscribed clients are notified once of changes made together. */
export interface LiveCollection<D extends HandlerDefinition> {
  /**
   * Adds one definition, or all definitions of this kind from the methods of a class. They are compiled like any other. A prompt or
   * template that replaces a removed one keeps the completions of the removed one.
   *
   * @throws DefinitionError when a definition is wrong or a name is taken; then nothing is added.
   */
  add(definition: FunctionDefinition<D> | Constructor): void;
  /** Removes a definition. @returns whether it existed. */
  remove(key: string): boolean;
  /** Whether a definition has this name or URI. */
  has(key: string): boolean;
  /** The names or URIs, in the order they were added. */
  keys(): string[];
}

/** The sources of completions, which can change while the app runs. */
export interface LiveCompletions {
  /**
   * Adds one source of completions, or all sources from the methods of a class. A new source replaces the argument's earlier one.
   *
   * @throws DefinitionError when a definition is wrong, for example when its prompt does not exist; then nothing is added.
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

/** Compiles definitions of some kinds into the registry. @throws DefinitionError when something is wrong. */
export type Define = (definition: FunctionDefinition | Constructor, kind: HandlerDefinition['kind']) => void;

/** Creates a live collection over one or two collections of a registry. */
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

/** Creates the live completions of a registry. */
export function liveCompletions(registry: Registry, define: Define): LiveCompletions {
  return {
    add: (definition) => define(definition, 'completion'),
    remove: (ref, argument) => removeCompletion(registry, ref, argument),
    has: (ref, argument) => registry.completions.get(ref)?.has(argument) ?? false,
  };
}

/** Compiles definitions into the registry of a running app. */
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
