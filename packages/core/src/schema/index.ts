export { createSchemaCompiler } from './create-compiler.js';
export { DtoFunctionError } from './dto-function-error.js';
export { InvalidValueError, type Issue } from './invalid-value-error.js';
export { describesItself, hasClassValidator, isDto } from './is-dto.js';
export type { Direction, PropertyDeclaration, SchemaSource } from './source.js';
export { type SchemaShape, shapeSchema } from './shape-schema.js';
export type { SchemaCompiler, ValuePlan } from './plans.js';
