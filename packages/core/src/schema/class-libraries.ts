import type { instanceToPlain, plainToInstance } from 'class-transformer';
import type { MetadataStorage } from 'class-validator';
import { BuiltInRules } from './built-in-rules.js';
import type { ConstraintSource } from './constraint-source.js';
import type { PatternPool } from './patterns/pattern-pool.js';
import type { TransformerStorage } from './transformer-storage.js';

/** What is used of class-validator and class-transformer. Nothing else imports them. */
export interface ClassLibraries {
  readonly rules: MetadataStorage;
  readonly builtIn: BuiltInRules;
  readonly transforms: TransformerStorage;
  readonly plainToInstance: typeof plainToInstance;
  readonly instanceToPlain: typeof instanceToPlain;
  /** Runs the patterns of rules, in place of class-validator. */
  readonly patterns: PatternPool;
  /** Makes the constraints of authors. */
  readonly constraints: ConstraintSource;
}

/** Loads both libraries. Costs about 180 ms, so an app without DTO classes must not call it. */
export async function loadClassLibraries(
  patterns: PatternPool,
  constraints: ConstraintSource,
): Promise<ClassLibraries> {
  const [validator, transformer, storage] = await Promise.all([
    import('class-validator'),
    import('class-transformer'),
    import('class-transformer/cjs/storage.js'),
  ]);
  return {
    rules: validator.getMetadataStorage(),
    builtIn: new BuiltInRules(validator),
    transforms: storage.defaultMetadataStorage as TransformerStorage,
    plainToInstance: transformer.plainToInstance,
    instanceToPlain: transformer.instanceToPlain,
    patterns,
    constraints,
  };
}
