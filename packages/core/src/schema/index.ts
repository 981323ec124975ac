export { convertStrings } from './json-schema/convert-strings.js';
export { createSchemaCompiler } from './schema.js';
export { DtoFunctionError } from './messages/errors.js';
export { InvalidValueError, type Issue } from './messages/errors.js';
export { describesItself, hasClassValidator, isDto } from './dto/class-libraries.js';
export type { Direction, PropertyDeclaration, SchemaSource } from './json-schema/source.js';
export type { SchemaCompiler, ValuePlan } from './plans.js';
export type { LoadValidatorCompiler } from './validate/compiled-schema.js';
export {
  type PreparedValidator,
  prepareValidators,
  validatorFunctions,
  type ValidatorFunctions,
} from './validate/validate.js';
export type { WrittenSchema } from './validate/standalone.js';
export { type PatternVerdict, preparePatterns } from './patterns/patterns.js';
