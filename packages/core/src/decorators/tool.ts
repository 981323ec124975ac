import type { InputRequired } from '../context/input-required.js';
import type { Presentation, SchemaLike, UnknownProperties } from '../metadata/definitions.js';
import { addHandler } from '../metadata/store.js';
import type { Constructor } from '../protocol/constructor.js';
import type { JsonSchema } from '../protocol/json.js';
import type { CallToolResult } from '../protocol/results.js';
import type { StandardSchema } from '../protocol/standard-schema.js';

/**
 * What a handler returns for an output schema: of a DTO class its instances, or plain objects with its properties; of a schema of
 * another library what that takes; of JSON Schema anything, because types do not read it.
 */
export type OutputOf<S> =
  S extends StandardSchema<infer Input, infer _>
    ? Input
    : S extends Constructor<infer T>
      ? T | DataOf<T>
      : S extends readonly [Constructor<infer T>]
        ? readonly (T | DataOf<T>)[]
        : unknown;

/** The properties of an instance without its methods. */
type DataOf<T> = { [K in keyof T as T[K] extends (...args: never[]) => unknown ? never : K]: T[K] };

/** What a tool with an output schema may return, at once or as a promise. Content alone is no result of such a tool. */
export type ToolReturn<S> =
  unknown extends OutputOf<S>
    ? unknown
    : | OutputOf<S>
      | CallToolResult
      | InputRequired
      | PromiseLike<OutputOf<S> | CallToolResult | InputRequired>;

/**
 * Decorates a method that returns what the output schema describes.
 *
 * @typeParam S the output schema.
 */
export type ToolDecorator<S> =
  unknown extends OutputOf<S>
    ? MethodDecorator
    : <M extends (...values: never[]) => ToolReturn<S>>(
        prototype: object,
        method: string | symbol,
        descriptor: TypedPropertyDescriptor<M>,
      ) => void;

/**
 * What `@Tool` may be told.
 *
 * @typeParam S the output schema.
 */
export interface ToolOptions<S extends SchemaLike = SchemaLike> extends Presentation {
  /** The tool changes nothing. */
  readonly readOnly?: boolean;
  /** The tool may delete or overwrite; meaningful when it is not read-only. */
  readonly destructive?: boolean;
  /** Calling it twice with the same arguments does no more than calling it once. */
  readonly idempotent?: boolean;
  /** The tool reaches beyond this server, such as the web. */
  readonly openWorld?: boolean;
  /** Schema of the arguments, for a handler whose parameter types say nothing. */
  readonly input?: SchemaLike;
  /**
   * Validation groups of class-validator: of a DTO class only rules of these groups apply, and rules of no group. A
   * property that has rules of other groups only is unknown. Without groups every rule applies.
   */
  readonly groups?: readonly string[];
  /**
   * Takes strings for what else the schema wants where nothing is lost: "42" for a number, "true" for a boolean, JSON for an
   * object or list. As the app says unless given.
   */
  readonly coerce?: boolean;
  /**
   * What becomes of arguments nobody declared: `reject` them with a hint, `strip` them, or `keep` them for the handler. As the
   * app says unless given. Schemas written by hand say so themselves with `additionalProperties`.
   */
  readonly unknownProperties?: UnknownProperties;
  /**
   * Schema of the result: a DTO class, `[Dto]`, JSON Schema, or a schema of zod, valibot or arktype. Results are checked against it when
   * the tool is called, and the return type of the method when it is compiled (except with JSON Schema).
   *
   * @default the DTO class that the method is declared to return. What a promise is of is not known at run time: for
   *   `Promise<StockLevel>` write `output: StockLevel`.
   */
  readonly output?: S;
}

/**
 * Makes a method a tool.
 *
 * **Name**: the method's name in snake_case, unless `name` is given (`checkInventory` → `check_inventory`).
 *
 * **Parameters**: one DTO class, or values marked with `@Arg`, and a `ToolContext` in any position. The input schema
 * comes from them; invalid arguments are answered with an `isError` result and never reach the method.
 *
 * **Return value**: a string, number or boolean becomes text; a plain object, array or DTO instance becomes
 * `structuredContent` and its JSON as text; what `text()`, `image()`, `audio()`, `embedded()` and `link()` make, alone
 * or in an array, becomes `content`; an object with `content` is the whole result; nothing becomes empty content.
 *
 * **Errors**: a `ToolError` becomes an `isError` result with its text; a `ProtocolError` a JSON-RPC error; anything
 * else is logged and answered with a fixed text.
 *
 * Services are singletons unless `@Service({ scope })` says otherwise. Specification 2026-07-28, server/tools.
 */
export function Tool<S extends SchemaLike = JsonSchema>(options: ToolOptions<S> = {}): ToolDecorator<S> {
  const decorate: MethodDecorator = (prototype, method) =>
    addHandler(prototype, method, { ...options, kind: 'tool' });
  return decorate as ToolDecorator<S>;
}
