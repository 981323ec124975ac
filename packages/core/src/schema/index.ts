export { createSchemaCompiler } from './schema.js';
export { DtoFunctionError } from './validate/errors.js';
export { InvalidValueError, type Issue } from './validate/errors.js';
export { type ClassTransformer, describesItself, hasClassValidator, isDto } from './dto/class-libraries.js';
export type { Direction, PropertyDeclaration, SchemaSource } from './source.js';
export type { SchemaCompiler, ValuePlan } from './plans.js';
export type { LoadValidatorCompiler } from './validate/compiled-schema.js';
export { type PreparedValidator, prepareValidators } from './validate/prepared.js';
export { type PatternVerdict, preparePatterns } from './patterns/patterns.js';
