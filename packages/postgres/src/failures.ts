import { DatabaseError } from 'pg';

/** The codes for a temporary refusal: PostgreSQL shuts down, starts, or is full. */
const NOT_NOW = /^(?:08|53|57P|57014$)/;

/**
 * Whether an error means that PostgreSQL cannot be used at the moment: it cannot be reached, is starting or stopping,
 * or has no free connections or disk space. A permanent refusal, such as a wrong password, is not such an error.
 */
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
  [/^3D000$/, () => 'create the database, or use another one in postgres({ url })'],
  [/^28/, () => 'correct the user and the password in postgres({ url })'],
  [/^25006$/, () => 'use a server that accepts writes; the one in postgres({ url }) may be a replica'],
  [
    /^42501$/,
    (schema) =>
      `allow the user to create tables; or run migrate(url, { schema: '${schema}' }) as another user, and set postgres({ schema: '${schema}', migrate: false })`,
  ],
];

/**
 * Adds the fix to the message of an error, if the error is permanent and its fix is known. Returns all other errors
 * unchanged.
 */
export function explained(error: unknown, schema: string): unknown {
  if (isWithoutTls(error))
    return new Error(
      `PostgreSQL refuses: ${error.message}; turn on TLS in PostgreSQL, or remove sslmode from postgres({ url })`,
      { cause: error },
    );
  if (!(error instanceof DatabaseError)) return error;
  const [, fix] = FIXES.find(([code]) => code.test(error.code ?? '')) ?? [];
  if (!fix) return error;
  return new Error(`PostgreSQL refuses: ${error.message}; ${fix(schema)}`, { cause: error });
}

/**
 * Thrown if PostgreSQL answers, but cannot be used without a change to its settings or tables. A retry would fail, too.
 */
export class UnusableError extends Error {}

/**
 * Thrown if a statement was not sent, because too many statements were waiting or no connection became free in time.
 */
export class BusyError extends Error {}

/** The error message for a statement that PostgreSQL does not answer in time. */
export const NO_ANSWER = 'PostgreSQL did not answer';
