import { readFileSync } from 'node:fs';
import { isObject, messageOf, OptionChecks } from '@sigil/core/internal';
import { Client } from 'pg';

/** The address of the database, or a pool whose options contain the address. */
export interface Address {
  /**
   * The address of the database: `postgres://[user[:password]@]host[:port]/database[?option=value]`.
   * @default the address in `pool`
   */
  readonly url?: string;
  /**
   * A pool of `pg`, instead of `url`. Only the options of the pool are read, such as the location of the database,
   * certificates and the password. The pool's connections are not used, because stores need connections with other
   * settings.
   */
  readonly pool?: PoolTemplate;
}

/** The part of a `pg` pool that `@sigil/postgres` reads: its options. */
export interface PoolTemplate {
  readonly options: object;
}

/** The default schema. */
export const DEFAULT_SCHEMA = 'sigil';

/** Names that mean the same with and without quotes, and that leave room for suffixes. */
const SCHEMA = /^[a-z_][a-z0-9_]{0,47}$/;

/** Names that PostgreSQL reserves for itself. */
const OWN_SCHEMA = /^(?:pg_|information_schema$)/;

/** Reports a value that is not a valid name of a schema. @returns the schema; the default schema for `undefined`. */
export function checkSchema(checks: OptionChecks, schema: unknown): string {
  if (schema === undefined) return DEFAULT_SCHEMA;
  if (typeof schema === 'string' && SCHEMA.test(schema)) {
    if (OWN_SCHEMA.test(schema))
      checks.refuse('schema', `${schema} is for PostgreSQL itself`, "use another name, such as 'sigil_shop'");
    return schema;
  }
  checks.refuse('schema', 'it must be a name of at most 48 characters: letters a to z, digits, underscores');
  return DEFAULT_SCHEMA;
}

/**
 * Returns the schema from options whose only member is `schema`. @throws DefinitionError if the options are invalid.
 */
export function requireSchema(of: string, options: { readonly schema?: string }): string {
  OptionChecks.requireObject(of, options);
  const checks = new OptionChecks(of);
  checks.known(options, ['schema']);
  const schema = checkSchema(checks, options.schema);
  checks.throwIfAny();
  return schema;
}

/** Reports an address or a pool that is not valid. Exactly one of the two must be given. */
export function checkAddress(checks: OptionChecks, { url, pool }: Address): void {
  if (url === undefined && pool === undefined)
    checks.refuse(
      'url',
      'the address is missing',
      "write url: 'postgres://user@host/database', or pass a pool of pg",
    );
  if (url !== undefined && pool !== undefined)
    checks.refuse('url', 'url and pool are both set', 'remove one of them');
  checkUrl(checks, 'url', url);
  if (pool !== undefined && !isObject(isObject(pool) ? pool['options'] : undefined))
    checks.refuse('pool', 'it must be a pool of pg', 'write pool: new Pool({ … })');
}

/** The parameters that `pg` reads after the `?` of an address. */
export const PARAMETERS: readonly string[] = [
  'user password host port application_name fallback_application_name client_encoding options replication binary',
  'ssl sslmode sslcert sslkey sslrootcert sslnegotiation uselibpqcompat',
  'query_timeout statement_timeout lock_timeout idle_in_transaction_session_timeout',
].flatMap((names) => names.split(' '));

const SSL_MODES: readonly string[] = [
  'disable',
  'prefer',
  'require',
  'verify-ca',
  'verify-full',
  'no-verify',
];

/** Reports a value that is not a valid address of PostgreSQL. `undefined` is allowed. */
export function checkUrl(checks: OptionChecks, option: string, url: unknown): void {
  if (url === undefined) return;
  if (!isUrl(url)) {
    const what = `it must be an address of PostgreSQL, not ${shownUrl(url)}`;
    return checks.refuse(option, what, `write ${option}: 'postgres://user@host/database'`);
  }
  const { searchParams } = new URL(url);
  for (const name of new Set(searchParams.keys()))
    if (searchParams.getAll(name).length > 1)
      checks.refuse(option, `it has ${name} more than once`, `leave one ${name} in it`);
  const mode = searchParams.get('sslmode');
  if (mode !== null && !SSL_MODES.includes(mode))
    checks.refuse(
      option,
      `sslmode must be one of ${SSL_MODES.join(', ')}, not '${mode}'`,
      'write sslmode=verify-full, or leave it out',
    );
}

/** The parameters that name files. */
const FILES: readonly string[] = ['sslcert', 'sslkey', 'sslrootcert'];

/**
 * Reports an address that `pg` cannot parse, or an address that refers to an unreadable file, such as a certificate.
 */
export function checkReadable(checks: OptionChecks, option: string, url: string | undefined): void {
  if (url === undefined) return;
  const { searchParams } = new URL(url);
  const unreadable = FILES.flatMap((name) => {
    const path = searchParams.get(name) ?? '';
    const failure = path === '' ? undefined : failureOf(() => readFileSync(path));
    return failure === undefined ? [] : [`the file in the parameter ${name} cannot be read: ${failure}`];
  });
  for (const what of unreadable)
    checks.refuse(
      option,
      what,
      'use the path of a file that this process can read, or leave out the parameter',
    );
  if (unreadable.length > 0) return;
  const failure = failureOf(() => new Client({ connectionString: url }));
  if (failure !== undefined)
    checks.refuse(option, `pg cannot read it: ${failure}`, 'percent-encode its user, password and database');
}

function failureOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Returns the options of `pg` clients for connections to an address. */
export function clientOptions({ url, pool }: Address): object {
  if (url !== undefined) return { connectionString: url };
  const options: { readonly password?: unknown } = pool?.options ?? {};
  // A pool hides its password from loggers, and from copies.
  const { password } = options;
  return password === undefined ? { ...options } : { ...options, password };
}

/** Returns an address without its password. */
function shownUrl(url: unknown): string {
  return typeof url === 'string' ? `'${url.replace(/\/\/[^@/]*@/, '//…@').slice(0, 100)}'` : typeof url;
}

function isUrl(url: unknown): url is string {
  return typeof url === 'string' && /^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url);
}
