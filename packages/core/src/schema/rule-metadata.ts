import type { MetadataStorage } from 'class-validator';

/** What class-validator recorded about one use of a decorator. */
export type RuleMetadata = ReturnType<MetadataStorage['getTargetValidationMetadatas']>[number];

/** What class-validator registered as the implementation of a decorator. */
export type RegisteredConstraint = ReturnType<MetadataStorage['getTargetValidatorConstraints']>[number];
