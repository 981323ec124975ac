import type { FunctionDefinition } from '../decorators/define.js';
import type { CompletionDefinition, HandlerDefinition } from '../metadata/definitions.js';
import type { Constructor } from '../protocol/constructor.js';
import { removeCompletion } from '../registry/populate.js';
import type { Registry } from '../registry/registry.js';

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
   * Adds a source of completions, or all those that the methods of a class are. It takes the place of the one that the argument
   * had before.
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

/** Where a live collection keeps its entries. */
interface Held {
  delete(key: string): boolean;
  has(key: string): boolean;
  [Symbol.iterator](): Iterator<{ readonly key: string }>;
}

/** Makes a live collection over one or two collections of a registry. */
export function liveCollection<D extends HandlerDefinition>(
  kind: D['kind'],
  held: readonly Held[],
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
