import type { Constructor } from '../../protocol/constructor.js';
import type { JsonSchema } from '../../protocol/json.js';
import type { StandardSchema } from '../../protocol/standard-schema.js';

/** How one property of an argument object is declared. */
export interface PropertyDeclaration {
  readonly name: string;
  /** The decorator that declares it, for messages. @default '@Arg' */
  readonly decorator?: '@Arg' | '@Param';
  /** Whether the compiler emitted no types of parameters. */
  readonly untyped?: boolean;
  /**
   * The type by reflection or by the author: String, Number, Boolean, Array, Date, BigInt, a DTO class, an enum object,
   * a function that returns one of these, or `undefined` if unknown.
   */
  readonly type?: unknown;
  /** Element type of an array. */
  readonly items?: unknown;
  /** JSON Schema keywords of the author. They override those of the type. */
  readonly keywords?: JsonSchema;
  readonly required: boolean;
}

/** The source of a schema. */
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
