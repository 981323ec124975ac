import type { MetadataStorage } from 'class-validator';
import type { Constructor } from '../protocol/constructor.js';
import type { RuleMetadata } from './rule-metadata.js';

/** Rules by the class that declares them. */
export type Rules = ReadonlyMap<unknown, readonly RuleMetadata[]>;

/** Every rule there is; undefined when class-validator keeps them in another way than it did. */
export function rulesByClass(storage: MetadataStorage): Rules | undefined {
  const { validationMetadatas } = storage as unknown as { validationMetadatas?: unknown };
  return validationMetadatas instanceof Map ? (validationMetadatas as Rules) : undefined;
}

/** The rules of a class that extends no other; undefined for classes that do, and for those without rules. */
export function ownRules(storage: MetadataStorage, cls: Constructor): readonly RuleMetadata[] | undefined {
  return Object.getPrototypeOf(cls) === Function.prototype ? rulesByClass(storage)?.get(cls) : undefined;
}
