import type { Constructor } from '../../protocol/constructor.js';
import type { JsonSchema } from '../../protocol/json.js';
import type { StandardSchema } from '../../protocol/standard-schema.js';

/** The declaration of one property in an argument object. */
export interface PropertyDeclaration {
  readonly name: string;
  /** The decorator that declares the property. Messages contain its name. @default '@Arg' */
  readonly decorator?: '@Arg' | '@Param';
  /** Whether the compiler emitted no types for the parameters of the method, so that reflection knows no type. */
  readonly untyped?: boolean;
  /**
   * The type from reflection or from the author: String, Number, Boolean, Array, Date, BigInt, a DTO class,
   * an enum object, or a function that returns one of these; `undefined` if unknown.
   */
  readonly type?: unknown;
  /** The type of the elements, for an array. */
  readonly items?: unknown;
  /** JSON Schema keywords that the author wrote. They override the keywords that Sigil derives from `type`. */
  readonly keywords?: JsonSchema;
  readonly required: boolean;
}

/** Describes where a schema comes from. */
export type SchemaSource =
  | {
      readonly kind: 'class';
      readonly cls: Constructor;
      /**
       * The class-validator groups whose rules apply. Rules without a group always apply. By default, all rules
       * apply.
       */
      readonly groups?: readonly string[];
    }
  /** An array of instances of a class, as in `output: [Dto]`. */
  | { readonly kind: 'array'; readonly cls: Constructor }
  | { readonly kind: 'properties'; readonly properties: readonly PropertyDeclaration[] }
  /** Written by hand; reaches clients as `advertise()` leaves it. */
  | { readonly kind: 'schema'; readonly schema: JsonSchema }
  /** Of another library; what it says as JSON Schema reaches clients as `advertise()` leaves it. */
  | { readonly kind: 'standard'; readonly schema: StandardSchema }
  /** No arguments at all. */
  | { readonly kind: 'none' };

/** Whether a schema describes values that clients send (`input`), or values that clients receive (`output`). */
export type Direction = 'input' | 'output';
