import type { FunctionDefinition } from '../decorators/define.js';
import type { HandlerDefinition } from '../metadata/definitions.js';

/** The definitions of one kind while the app is up. Clients that listen hear once of all changes made in one go. */
export interface LiveCollection<D extends HandlerDefinition> {
  /**
   * Adds a definition, compiled like any other.
   *
   * @throws DefinitionError when it is wrong, or its name is taken.
   */
  add(definition: FunctionDefinition<D>): void;
  /** @returns whether there was such a definition. */
  remove(key: string): boolean;
  has(key: string): boolean;
  /** Names, or URIs, in the order of their addition. */
  keys(): string[];
}

/** Where a live collection keeps its entries. */
interface Held {
  delete(key: string): boolean;
  has(key: string): boolean;
  [Symbol.iterator](): Iterator<{ readonly key: string }>;
}

/** Makes a live collection over one or two collections of a registry. */
export function liveCollection<D extends HandlerDefinition>(
  held: readonly Held[],
  add: (definition: FunctionDefinition<D>) => void,
): LiveCollection<D> {
  return {
    add,
    remove: (key) => held.some((collection) => collection.delete(key)),
    has: (key) => held.some((collection) => collection.has(key)),
    keys: () => held.flatMap((collection) => [...collection].map((entry) => entry.key)),
  };
}
