import { DatabaseError } from 'pg';

/** The codes for a temporary refusal: PostgreSQL shuts down, starts, or has no room. */
const NOT_NOW = /^(?:08|53|57P|57014$)/;

/** Whether an error means that PostgreSQL could not be reached, rather than that it refused. */
export function isConnectionFailure(error: unknown): boolean {
  if (error instanceof UnusableError || error instanceof BusyError || isWithoutTls(error)) return false;
  if (!(error instanceof DatabaseError)) return true;
  return NOT_NOW.test(error.code ?? '');
}

/** Whether the address requires TLS and PostgreSQL does not support it. */
function isWithoutTls(error: unknown): error is Error {
  return error instanceof Error && error.message === 'The server does not support SSL connections';
}

/** The fix for each permanent error of PostgreSQL, by code. */
const FIXES: readonly (readonly [RegExp, (schema: string) => string])[] = [
  [/^3D000$/, () => 'create the database, or name another one in postgres({ url })'],
  [/^28/, () => 'mend the user and the password in postgres({ url })'],
  [/^25006$/, () => 'name a server that takes writes in postgres({ url }): this one may be a copy of it'],
  [
    /^42501$/,
    (schema) =>
      `let the user make tables, or have one who may run migrate(url, { schema: '${schema}' }) and give postgres({ schema: '${schema}', migrate: false })`,
  ],
];

/** Adds the fix to a permanent error. */
export function explained(error: unknown, schema: string): unknown {
  if (isWithoutTls(error))
    return new Error(
      `PostgreSQL refuses: ${error.message}; turn TLS on there, or leave sslmode out of postgres({ url })`,
      { cause: error },
    );
  if (!(error instanceof DatabaseError)) return error;
  const [, fix] = FIXES.find(([code]) => code.test(error.code ?? '')) ?? [];
  if (!fix) return error;
  return new Error(`PostgreSQL refuses: ${error.message}; ${fix(schema)}`, { cause: error });
}

/** Thrown if PostgreSQL answers, but cannot be used in its current state. A later attempt would fail, too. */
export class UnusableError extends Error {}

/** Thrown if a statement was not sent, because too many statements wait for a connection. */
export class BusyError extends Error {}

/** The message for statements that take too long. */
export const NO_ANSWER = 'PostgreSQL did not answer';
