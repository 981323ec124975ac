import type { Constructor } from '../protocol/constructor.js';
import type { JsonSchema } from '../protocol/json.js';
import type { SchemaPair } from './definitions.js';
import type { Maker } from './makers.js';
import type { Residual } from './residual.js';
import type { Survey } from './survey.js';

/** What DTO classes offer to one document. What implements it is loaded only for an app that has any. */
export interface ClassSupport {
  /** The schema of a class as the root of the document. */
  root(cls: Constructor): SchemaPair;
  /** A reference to the schema of a class. */
  reference(cls: Constructor): JsonSchema;
  /** Adds the definitions that references met to the root of the document. */
  attach(root: SchemaPair): SchemaPair;
  /** What makes instances of a class from checked values. */
  maker(cls: Constructor): Maker;
  /** What is left to run on instances of a class; undefined when its schema says everything. */
  residual(cls: Constructor): Residual | undefined;
  /** What holds for a class and every class inside it. */
  survey(cls: Constructor): Survey;
  /**
   * Writes instances as class-transformer's decorators say.
   * @param cls the class of the value, or of its elements.
   */
  toPlain(cls: Constructor, value: unknown): unknown;
}
