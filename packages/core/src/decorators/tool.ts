import type { Presentation, SchemaLike, UnknownProperties } from '../metadata/definitions.js';
import { addHandler } from '../metadata/store.js';

/** What `@Tool` may be told. */
export interface ToolOptions extends Presentation {
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
   * Schema of the result: a DTO class, `[Dto]`, JSON Schema, or a schema of zod, valibot or arktype. Results are checked against it.
   * The DTO class that the method says it returns, unless given; of a promise nobody knows what it is of.
   */
  readonly output?: SchemaLike;
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
export function Tool(options: ToolOptions = {}): MethodDecorator {
  return (prototype, method) => addHandler(prototype, method, { ...options, kind: 'tool' });
}
