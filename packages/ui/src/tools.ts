import type { Content } from './protocol.js';

/**
 * The types of a tool: its arguments (`input`) and its `structuredContent` (`output`). Leave out a member that the tool
 * does not have.
 */
export interface ToolTypes {
  readonly input?: object;
  readonly output?: object;
}

/** The types of a server's tools, by tool name. */
export type ToolMap<Tools> = { readonly [Name in keyof Tools]: ToolTypes };

/** The tools of a view without type arguments: any name, any arguments, any result. */
export type AnyTools = Readonly<
  Record<string, { input: Record<string, unknown>; output: Record<string, unknown> }>
>;

/**
 * The JSON form of a type: a string for `Date`, `URL`, `bigint` and bytes, an array for a `Set`, an object for a `Map`.
 * Methods are left out.
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

/** The arguments of a tool, in their JSON form. */
export type InputOf<Tool> = Tool extends { readonly input: infer Input }
  ? Json<Input>
  : Record<string, never>;

/** The `structuredContent` of a tool, in its JSON form. */
export type OutputOf<Tool> = Tool extends { readonly output: infer Output } ? Json<Output> : undefined;

/** The parameters of `callTool()` after the name. Arguments can be left out for tools that need none. */
export type CallArguments<Tool, Options> = Tool extends { readonly input: object }
  ? [args: InputOf<Tool>, options?: Options]
  : [args?: Record<string, never>, options?: Options];

/** The result of a tool. With `isError`, `content` describes the failure; otherwise it has `structuredContent`. */
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
 * The text of a result: its text blocks, joined by line breaks.
 *
 * @param result the result of a tool.
 * @returns the text; empty when the result has none.
 * @example
 * ```ts
 * const result = await view.callTool('save', { title });
 * if (result.isError) console.log(textOf(result));
 * ```
 */
export function textOf({ content }: { readonly content: readonly Content[] }): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}
