import type { Constructor } from '../../protocol/constructor.js';
import type { JsonSchema } from '../../protocol/json.js';
import type { StandardSchema } from '../../protocol/standard-schema.js';

/** The declaration of one property in an argument object. */
export interface PropertyDeclaration {
  readonly name: string;
  /** The decorator that declares the property, for messages. @default '@Arg' */
  readonly decorator?: '@Arg' | '@Param';
  /** Whether the compiler emitted no parameter types. */
  readonly untyped?: boolean;
  /**
   * The type from reflection or from the author: String, Number, Boolean, Array, Date, BigInt, a DTO class,
   * an enum object, or a function that returns one of these; `undefined` if unknown.
   */
  readonly type?: unknown;
  /** The type of the elements, for an array. */
  readonly items?: unknown;
  /** The author's JSON Schema keywords, which override those of the type. */
  readonly keywords?: JsonSchema;
  readonly required: boolean;
}

/** Describes where a schema comes from. */
export type SchemaSource =
  | {
      readonly kind: 'class';
      readonly cls: Constructor;
      /** The groups of class-validator whose rules apply, besides rules without a group; all rules by default. */
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

/** Whether a schema describes values from a client or values to one. */
export type Direction = 'input' | 'output';
