/** The names in a comma-separated list. */
type Parts<E extends string> = E extends `${infer First},${infer Rest}` ? First | Parts<Rest> : E;

/**
 * The variables of an expression. Here, the names of optional variables in a query end with a question mark.
 */
type Variables<E extends string> = E extends `${'?' | '&'}${infer Names}`
  ? `${Parts<Names>}?`
  : Parts<E extends `${'+' | '#' | '.' | '/' | ';'}${infer Names}` ? Names : E>;

/** The variables of all expressions of a URI template. */
type AllVariables<U extends string> = U extends `${string}{${infer E}}${infer Rest}`
  ? Variables<E> | AllVariables<Rest>
  : never;

type Bare<V extends string> = V extends `${infer Required}?` ? Required : V;

type VariableName<V extends string> = V extends `${infer Name}*` | `${infer Name}:${number}` ? Name : V;

/**
 * The type of a URI template's variables, for a handler without a schema. A value is usually a string. It is
 * `undefined` for an omitted query variable, and a list if a variable with `*`, such as `{?tags*}`, has several values.
 *
 * @typeParam U the URI template.
 * @example
 * ```ts
 * const read = ({ id, format = 'json' }: VariablesOf<'users://{id}{?format}'>) => users.get(id, format);
 * ```
 */
export type VariablesOf<U extends string> = string extends U
  ? Record<string, string>
  : {
      readonly [V in AllVariables<U> as VariableName<Bare<V>>]:
        | (Bare<V> extends `${string}*` ? string | string[] : string)
        | (V extends `${string}?` ? undefined : never);
    };

/** The optional variables of a URI template. */
type OptionalOf<V> = { [K in keyof V]: undefined extends V[K] ? K : never }[keyof V];

/**
 * Values for the variables of a URI template. A value is a string or a number; for a variable with `*`, it can also be
 * a list of strings.
 *
 * @typeParam U the URI template.
 * @example
 * ```ts
 * const values: ValuesFor<'orders://{year}/{id}'> = { year: 2026, id: 'A-1' };
 * ```
 */
export type ValuesFor<U extends string, V = VariablesOf<U>> = {
  readonly [K in Exclude<keyof V, OptionalOf<V>>]: V[K] | number;
} & { readonly [K in OptionalOf<V>]?: V[K] | number };
