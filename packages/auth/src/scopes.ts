import { isScope, type OptionChecks, type OptionTable } from '@sigil/core/internal';

/** The scopes of a server, and which scopes include others. */
export interface ScopeOptions {
  /**
   * The scopes that a client should request first: the minimum for useful work. The challenge for a request without a
   * token lists them.
   *
   * @default []: the authorization server decides which scopes it grants
   */
  readonly initial?: readonly string[];
  /**
   * The scopes that the metadata of the resource lists as `scopes_supported`. Some clients request these scopes
   * before they need them.
   *
   * @default the scopes in `initial`
   */
  readonly advertised?: readonly string[];
  /**
   * The prefix that the authorization server requires before each requested scope, such as `api://<id>/`. Scopes in
   * definitions, principals, `initial`, `advertised` and `implies` do not have the prefix. The server adds it to the
   * scopes in challenges and metadata, except to scopes of OpenID Connect. It removes the prefix from the scopes of
   * tokens.
   *
   * @default ''
   */
  readonly prefix?: string;
  /**
   * The other scopes that each scope includes. With `{ 'files:write': ['files:read'] }`, a token with the scope
   * `files:write` also has the scope `files:read`.
   */
  readonly implies?: Readonly<Record<string, readonly string[]>>;
  /**
   * Reads the scopes of a token from its claims.
   *
   * @default the scopes in `scope` (text) and `scp` (list or text)
   */
  readonly read?: (claims: TokenClaims) => readonly string[];
}

/** The claims of a valid token. */
export interface TokenClaims {
  readonly iss?: string | undefined;
  readonly sub?: string | undefined;
  readonly client_id?: string | undefined;
  readonly aud?: string | readonly string[] | undefined;
  /** When the token expires, in seconds since 1970. */
  readonly exp?: number | undefined;
  /** When the token becomes valid, in seconds since 1970. */
  readonly nbf?: number | undefined;
  readonly scope?: string | undefined;
  readonly [claim: string]: unknown;
}

/** Scopes of OpenID Connect, which belong to no server. */
const STANDARD: ReadonlySet<string> = new Set(['openid', 'profile', 'email', 'address', 'phone']);

const OPTIONS: OptionTable<ScopeOptions> = {
  initial: true,
  advertised: true,
  implies: true,
  read: true,
  prefix: true,
};

/** Adds and removes the prefix of a server's scopes, and reads the scopes of tokens. */
export class Scopes {
  readonly initial: readonly string[];
  readonly advertised: readonly string[];
  readonly #prefix: string;
  readonly #read: (claims: TokenClaims) => readonly string[];
  /** For each scope, all scopes that it includes, with the scope itself. */
  readonly #implied = new Map<string, readonly string[]>();

  /** @param checks receives the problems in the options. */
  constructor(options: ScopeOptions, checks: OptionChecks) {
    const { initial = [], advertised = initial, implies = {}, read = scopesIn, prefix = '' } = options;
    checks.known(options, OPTIONS, 'scopes.');
    checkScopes('scopes.initial', initial, checks);
    if (advertised !== initial) checkScopes('scopes.advertised', advertised, checks);
    for (const [scope, implied] of Object.entries(implies))
      checkScopes(`scopes.implies.${scope}`, implied, checks);
    if (typeof prefix !== 'string') checks.refuse('scopes.prefix', 'it must be a string');
    else if (prefix !== '') checkScopes('scopes.prefix', [prefix], checks);
    this.#prefix = prefix;
    this.initial = isTexts(initial) ? this.asked(initial) : [];
    this.advertised = isTexts(advertised) ? this.asked(advertised) : [];
    this.#read = read;
    for (const scope of Object.keys(implies)) this.#implied.set(scope, closure(scope, implies));
  }

  /** Returns the given scopes in the form that clients must request: with the prefix. */
  asked(scopes: readonly string[]): readonly string[] {
    return scopes.map((scope) => (STANDARD.has(scope) ? scope : this.#prefix + scope));
  }

  /** Returns the scopes of a token, each without the prefix, and all other scopes that these scopes include. */
  of(claims: TokenClaims): readonly string[] {
    const prefix = this.#prefix;
    const granted = this.#read(claims).map((scope) =>
      prefix !== '' && scope.startsWith(prefix) ? scope.slice(prefix.length) : scope,
    );
    if (this.#implied.size === 0) return granted;
    return [...new Set(granted.flatMap((scope) => this.#implied.get(scope) ?? scope))];
  }
}

/** Returns a scope with all scopes that it includes, directly or indirectly. Cycles are allowed. */
function closure(scope: string, implies: Readonly<Record<string, readonly string[]>>): readonly string[] {
  const found = new Set([scope]);
  for (const one of found) {
    const next = Object.hasOwn(implies, one) ? implies[one] : undefined;
    // A value other than a list has been refused before.
    if (isTexts(next)) for (const implied of next) found.add(implied);
  }
  return [...found];
}

/** Returns the scopes in the claims `scope` and `scp` of a token. */
export function scopesIn({ scope, scp }: TokenClaims): readonly string[] {
  const listed = Array.isArray(scp) ? scp.filter((one) => typeof one === 'string') : words(scp);
  return [...words(scope), ...listed];
}

function words(text: unknown): readonly string[] {
  return typeof text === 'string' ? text.split(' ').filter((word) => word !== '') : [];
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function checkScopes(option: string, scopes: unknown, checks: OptionChecks): void {
  if (!isTexts(scopes))
    return checks.refuse(option, 'it must be a list of scopes', "write a list, such as ['mcp']");
  const wrong = scopes.find((scope) => !isScope(scope));
  if (wrong !== undefined)
    checks.refuse(
      option,
      `${JSON.stringify(wrong)} is not a scope`,
      'write each scope as a separate string, without spaces and quotes',
    );
  // A resource does not decide whether its clients get refresh tokens (2026-07-28, basic/authorization, "Refresh Tokens").
  if (scopes.includes('offline_access'))
    checks.refuse(option, 'only clients decide whether to request offline_access', 'remove it');
}
