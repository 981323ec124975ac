import type { MetadataStorage } from 'class-validator';
import type { Constructor } from '../protocol/constructor.js';
import { type Rules, rulesByClass } from './own-rules.js';
import type { RuleMetadata } from './rule-metadata.js';

/**
 * The rules of a class and of those it extends, as class-validator itself finds them. It looks through all classes there are each time,
 * which takes long where there are many; so it is asked among the relatives of the class alone.
 *
 * @param groups the groups whose rules apply, beside rules of no group; all rules apply when there are none.
 */
export function targetRules(
  storage: MetadataStorage,
  cls: Constructor,
  groups: readonly string[],
): RuleMetadata[] {
  const own = rulesByClass(storage);
  const few = own ? relatives(storage, own, cls) : storage;
  return few.getTargetValidationMetadatas(cls, '', groups.length > 0, false, [...groups]);
}

function relatives(storage: MetadataStorage, own: Rules, cls: Constructor): MetadataStorage {
  const Storage = storage.constructor as new () => MetadataStorage;
  const few = new Storage();
  // Those a class extends were declared before it, and class-validator goes by that order.
  for (const relative of ancestors(cls).reverse()) {
    for (const rule of own.get(relative) ?? []) few.addValidationMetadata(rule);
  }
  return few;
}

function ancestors(cls: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let at = cls; typeof at === 'function' && at !== Function.prototype; at = Object.getPrototypeOf(at))
    chain.push(at);
  return chain;
}
