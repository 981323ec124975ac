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

/** The definitions of one kind while the app is up. Clients that listen hear once of all changes made in one go. */
export interface LiveCollection<D extends HandlerDefinition> {
  /**
   * Adds a definition, compiled like any other, or all definitions of this kind that the methods of a class have. A prompt or
   * template that takes the place of a removed one keeps the completions of that.
   *
   * @throws DefinitionError when something is wrong, or a name is taken; nothing is added then.
   */
  add(definition: FunctionDefinition<D> | Constructor): void;
  /** @returns whether there was such a definition. */
  remove(key: string): boolean;
  /** Whether there is a definition of that name or URI. */
  has(key: string): boolean;
  /** Names, or URIs, in the order of their addition. */
  keys(): string[];
}

/** The sources of completions while the app is up. */
export interface LiveCompletions {
  /**
   * Adds a source of completions, or all those of a class's methods. It replaces the argument's earlier source.
   *
   * @throws DefinitionError when something is wrong, such as a prompt that is not there; nothing is added then.
   */
  add(definition: FunctionDefinition<CompletionDefinition> | Constructor): void;
  /**
   * @param ref the name of a prompt, or a URI template.
   * @returns whether its argument had completions.
   */
  remove(ref: string, argument: string): boolean;
  /** Whether an argument of a prompt or of a resource template has completions. */
  has(ref: string, argument: string): boolean;
}

/** Compiles definitions of some kinds into the registry. @throws DefinitionError when something is wrong. */
export type Define = (definition: FunctionDefinition | Constructor, kind: HandlerDefinition['kind']) => void;

/** Makes a live collection over one or two collections of a registry. */
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

/** Makes the live completions of a registry. */
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

/** The declarations to add to a running app: a function, or a class's methods of one kind, with their completions. */
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
