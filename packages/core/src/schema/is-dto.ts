interface KnownClasses {
  readonly validationMetadatas?: { has(target: unknown): boolean };
}

/** Whether class-validator has been imported by anybody. */
export function hasClassValidator(): boolean {
  return 'classValidatorMetadataStorage' in globalThis;
}

/**
 * Whether a class, or one it extends, carries class-validator rules. Loads nothing: the library keeps its storage on
 * `globalThis`, so false is also the answer when it was never imported.
 */
export function isDto(cls: unknown): boolean {
  if (typeof cls !== 'function') return false;
  const storage = (globalThis as { classValidatorMetadataStorage?: KnownClasses })
    .classValidatorMetadataStorage;
  const known = storage?.validationMetadatas;
  if (known === undefined) return false;
  for (let at: unknown = cls; typeof at === 'function'; at = Object.getPrototypeOf(at)) {
    if (known.has(at)) return true;
  }
  return false;
}

/**
 * The `output` that describes a value: the name of the DTO class it is an instance of, in brackets for a list of such instances.
 *
 * @returns undefined for anything else, plain objects included.
 */
export function describesItself(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value)) return isDto(value.constructor) ? value.constructor.name : undefined;
  const [first] = value as readonly unknown[];
  const element = Array.isArray(first) ? undefined : describesItself(first);
  return element === undefined ? undefined : `[${element}]`;
}
