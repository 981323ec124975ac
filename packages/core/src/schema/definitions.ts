import type { Constructor } from '../protocol/constructor.js';
import type { JsonSchema } from '../protocol/json.js';

/** The same thing said twice: to clients, and to our own validator. */
export interface SchemaPair {
  readonly shown: JsonSchema;
  readonly enforced: JsonSchema;
}

/** The property that tells variants of a class apart, with the value that stands for this one. */
export interface Tag {
  readonly property: string;
  readonly value: string;
}

/** The `$defs` of one document. Classes are told apart by identity, so two of one name become `Name` and `Name_2`. */
export class Definitions {
  readonly #names = new Map<Constructor, Map<string, string>>();
  readonly #taken = new Set<string>();
  readonly #shown: Record<string, JsonSchema> = {};
  readonly #enforced: Record<string, JsonSchema> = {};

  /** A reference to a class, described by `describe` the first time it is met. */
  reference(cls: Constructor, tag: Tag | undefined, describe: () => SchemaPair): JsonSchema {
    const byTag = this.#names.get(cls) ?? new Map<string, string>();
    this.#names.set(cls, byTag);
    const key = tag ? `${tag.property}=${tag.value}` : '';
    let name = byTag.get(key);
    if (name === undefined) {
      name = this.#claim(cls.name);
      byTag.set(key, name);
      const { shown, enforced } = describe();
      this.#shown[name] = shown;
      this.#enforced[name] = enforced;
    }
    return { $ref: `#/$defs/${name}` };
  }

  /** Adds the definitions, if there are any, to the root of a document. */
  attach({ shown, enforced }: SchemaPair): SchemaPair {
    if (this.#taken.size === 0) return { shown, enforced };
    return { shown: { ...shown, $defs: this.#shown }, enforced: { ...enforced, $defs: this.#enforced } };
  }

  #claim(className: string): string {
    const base = className.replace(/[^A-Za-z0-9_.-]/g, '_') || 'Anonymous';
    let name = base;
    for (let count = 2; this.#taken.has(name); count += 1) name = `${base}_${count}`;
    this.#taken.add(name);
    return name;
  }
}
