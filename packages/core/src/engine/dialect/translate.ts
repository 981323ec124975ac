import { isObject } from '../../protocol/json.js';
import { DIALECT, type DialectRow } from './dialect.js';

/** A message in the words of the specification. */
export interface Translated {
  readonly method: string;
  readonly params: unknown;
}

// Names that the specification has as well do not give a dialect away.
const BY_OLD_NAME: ReadonlyMap<string, DialectRow> = new Map(
  DIALECT.filter(({ name, old }) => name !== old).map((row) => [row.old, row]),
);
const BY_NAME: ReadonlyMap<unknown, DialectRow> = new Map(DIALECT.map((row) => [row.name, row]));

/**
 * Puts a message of a client into the words of the specification.
 *
 * @returns `undefined` when its name is none of the older dialect.
 */
export function fromDialect(method: string, params: unknown): Translated | undefined {
  const row = BY_OLD_NAME.get(method);
  if (!row) return undefined;
  return { method: row.name, params: row.read && isObject(params) ? row.read(params) : params };
}

/** A request or notification of the server. */
export interface Spoken {
  readonly method: string;
  readonly params?: unknown;
}

/** Puts a request or notification of the server into the words of the older dialect. */
export function toDialect(message: Spoken): Spoken {
  const row = BY_NAME.get(message.method);
  if (!row) return message;
  const { params } = message;
  const written = row.write && isObject(params) ? { params: row.write(params) } : {};
  return { ...message, method: row.old, ...written };
}

/** Puts the client's result of a request of the server into the words of the specification. */
export function resultFromDialect(
  method: string,
  result: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return BY_NAME.get(method)?.readResult?.(result) ?? result;
}
