import type { MetadataStorage } from 'class-validator';
import type { RegisteredConstraint, RuleMetadata } from './rule-metadata.js';
import type { Constraint } from './rule-check.js';

type Decorate = (...args: unknown[]) => (target: object, property: string) => void;

const STORAGE = 'classValidatorMetadataStorage';

/** Decorators whose name is not that of their rule, whatever the case. */
const RENAMED: Readonly<Record<string, string>> = { islength: 'length' };

/**
 * Tells rules of class-validator from rules of an author under the same name: nothing is known about the latter, and
 * taking one for the other would leave it out. Nothing marks them, so they are told apart by their default messages.
 */
export class BuiltInRules {
  readonly #decorators = new Map<string, Decorate>();
  readonly #Storage: new () => MetadataStorage;
  readonly #found = new Map<string, Constraint | undefined>();

  /** @param validator what class-validator exports. */
  constructor(
    validator: Readonly<Record<string, unknown>> & { readonly MetadataStorage: new () => MetadataStorage },
  ) {
    this.#Storage = validator.MetadataStorage;
    for (const [name, value] of Object.entries(validator))
      if (/^[A-Z]/.test(name) && typeof value === 'function')
        this.#decorators.set(name.toLowerCase(), value as Decorate);
  }

  /** Whether a use of a decorator is of class-validator's own. @param registered what it was registered with. */
  made(metadata: RuleMetadata, registered: RegisteredConstraint): boolean {
    const { name } = metadata;
    if (name === undefined || registered.async) return false;
    if (!this.#found.has(name)) this.#found.set(name, this.#probe(name, metadata));
    const known = this.#found.get(name);
    if (known === undefined) return false;
    const said = messageOf(instanceOf(registered), metadata);
    return said !== undefined && said === messageOf(known, metadata);
  }

  /** Applies the decorator of a rule to a class of our own, with a storage of our own, so that nobody sees it. */
  #probe(name: string, { constraints }: RuleMetadata): Constraint | undefined {
    const spelt = name.toLowerCase();
    const decorate = this.#decorators.get(RENAMED[spelt] ?? spelt);
    if (decorate === undefined) return undefined;
    class Probe {}
    const host = globalThis as Record<string, unknown>;
    const kept = host[STORAGE];
    const storage = new this.#Storage();
    try {
      host[STORAGE] = storage;
      decorate(...((constraints as unknown[] | undefined) ?? []))(Probe.prototype, 'value');
    } finally {
      host[STORAGE] = kept;
    }
    const [found] = storage.getTargetValidationMetadatas(Probe, '', false, false);
    const [registered] = found ? storage.getTargetValidatorConstraints(found.constraintCls) : [];
    return registered && instanceOf(registered);
  }
}

/** Past the container of the author, which may not be ready when schemas are made. */
function instanceOf({ target }: RegisteredConstraint): Constraint | undefined {
  try {
    return Reflect.construct(target, []) as Constraint;
  } catch {
    return undefined;
  }
}

function messageOf(constraint: Constraint | undefined, metadata: RuleMetadata): string | undefined {
  const args = {
    targetName: '',
    property: metadata.propertyName,
    object: {},
    value: undefined,
    constraints: metadata.constraints ?? [],
  };
  try {
    return constraint?.defaultMessage?.(args as never).replace('each value in ', '');
  } catch {
    return undefined;
  }
}
