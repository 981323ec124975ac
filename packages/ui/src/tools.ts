import type { Content } from './protocol.js';

/**
 * The types of a tool: its arguments (`input`) and its `structuredContent` (`output`). Leave out `input` for a
 * tool without arguments, and `output` for a tool without `structuredContent`.
 */
export interface ToolTypes {
  readonly input?: object;
  readonly output?: object;
}

/** The types of a server's tools, by tool name. */
export type ToolMap<Tools> = { readonly [Name in keyof Tools]: ToolTypes };

/** The types of the tools if the program gives no types: any name, any arguments and any result are allowed. */
export type AnyTools = Readonly<
  Record<string, { input: Record<string, unknown>; output: Record<string, unknown> }>
>;

/**
 * The type of a value after it was sent as JSON. `Date`, `URL`, `bigint` and `Uint8Array` become strings, a `Set`
 * becomes an array, and a `Map` becomes an object. Methods are removed.
 *
 * @example
 * ```ts
 * let order: Json<Order> | undefined;
 * ```
 */
export type Json<T> = T extends Date | URL | bigint | Uint8Array
  ? string
  : T extends ReadonlyMap<string, infer Value>
    ? Record<string, Json<Value>>
    : T extends readonly (infer Item)[] | ReadonlySet<infer Item>
      ? Json<Item>[]
      : T extends object
        ? { [Key in keyof T as T[Key] extends (...args: never[]) => unknown ? never : Key]: Json<T[Key]> }
        : T;

/** The type of a tool's arguments, as JSON. */
export type InputOf<Tool> = Tool extends { readonly input: infer Input }
  ? Json<Input>
  : Record<string, never>;

/** The type of a tool's `structuredContent`, as JSON. */
export type OutputOf<Tool> = Tool extends { readonly output: infer Output } ? Json<Output> : undefined;

/**
 * The parameters of `callTool()` after the tool's name: the arguments and the options. Only a tool without `input` can
 * be called without arguments.
 */
export type CallArguments<Tool, Options> = Tool extends { readonly input: object }
  ? [args: InputOf<Tool>, options?: Options]
  : [args?: Record<string, never>, options?: Options];

/**
 * The result of a tool. If `isError` is `true`, `content` describes the failure. Otherwise, the result contains
 * `structuredContent`.
 */
export type ToolResult<Output = unknown> =
  | {
      readonly isError?: false;
      readonly content: readonly Content[];
      readonly structuredContent: Output;
      readonly _meta?: Readonly<Record<string, unknown>>;
    }
  | {
      readonly isError: true;
      readonly content: readonly Content[];
      readonly structuredContent?: unknown;
      readonly _meta?: Readonly<Record<string, unknown>>;
    };

/**
 * Returns the text of a tool's result: its text blocks, joined by line breaks.
 *
 * @param result the result of a tool.
 * @returns the text; an empty string when the result contains no text blocks.
 * @example
 * ```ts
 * const result = await view.callTool('save', { title });
 * if (result.isError) console.log(textOf(result));
 * ```
 */
export function textOf({ content }: { readonly content: readonly Content[] }): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}
