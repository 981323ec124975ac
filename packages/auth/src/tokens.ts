import type { Logger, MaybePromise } from '@sigil/core';
import type { OptionChecks } from '@sigil/core/internal';
import type { Issuers } from './issuer.js';
import { ClaimError, TokenError } from './provider.js';
import type { TokenClaims } from './scopes.js';

/** The values that token checks may use. */
export interface TokenCheckParts {
  /** The identifier of this server. */
  readonly resource: string;
  readonly issuers: Issuers;
  readonly logger: Logger;
}

/**
 * Checks a token.
 *
 * @param client quota key of the request; `undefined` if clients are indistinguishable.
 * @returns the claims of the token.
 * @throws TokenError when the token is invalid.
 * @throws ProviderError when the token cannot be checked now.
 */
export type CheckToken = (token: string, client?: string) => MaybePromise<TokenClaims>;

/** A way to check tokens. `jwt()` and `introspection()` create one. */
export interface TokenCheck {
  /** Reports all problems in the options of this check. @param issuers the number of issuers. */
  check(checks: OptionChecks, issuers: number): void;
  /** Whether issuers are asked for their keys or endpoints. */
  create(parts: TokenCheckParts): CheckToken;
}

/**
 * Returns the claims of a token, or `undefined` for a bad token. The function must check that the token was issued for
 * this server. If it returns `exp` and `nbf`, these are enforced. With several issuers, it must return `iss`.
 */
export type TokenVerifier = (token: string) => MaybePromise<TokenClaims | undefined>;

/**
 * Creates a test whether a token is for this server.
 *
 * @param audience the accepted audiences. A token must name one of them.
 * @returns a function that says whether a claim (a text or a list) names one of them.
 */
export function audienceTest(audience: string | readonly string[]): (claimed: unknown) => boolean {
  const audiences: readonly string[] = typeof audience === 'string' ? [audience] : audience;
  return (claimed) => {
    const named: readonly unknown[] = Array.isArray(claimed) ? claimed : [claimed];
    return named.some((one) => typeof one === 'string' && audiences.includes(one));
  };
}

/**
 * Creates the error for a token that was not issued for this server. @param claimed the audience of the
 * token.
 */
export function notForUs(claimed: unknown): TokenError {
  return new TokenError('The token was not issued for this server', {
    audience: claimed === undefined ? 'none' : JSON.stringify(claimed),
  });
}

/** How many seconds clocks may differ by default. */
export const CLOCK_TOLERANCE_SECONDS = 30;

/**
 * Enforces `exp` and `nbf`. Before `nbf`, the tolerance for clocks applies; after `exp` a token is never valid.
 *
 * @throws TokenError if the token is not valid yet, or has expired.
 * @throws ClaimError if `exp` or `nbf` is not a number, because the token would never expire.
 */
export function requireInTime(claims: TokenClaims): void {
  for (const name of ['exp', 'nbf'] as const)
    if (claims[name] !== undefined && !Number.isFinite(claims[name])) throw notATime(name);
  const { exp = Infinity, nbf = -Infinity } = claims;
  const now = Date.now() / 1000;
  if (exp <= now) throw new TokenError('The token has expired');
  if (nbf > now + CLOCK_TOLERANCE_SECONDS) throw new TokenError('The token is not good yet');
}

/**
 * Creates the error for a claim that must be a number of seconds since 1970 (RFC 7519, section 2,
 * "NumericDate"). @param claim its name.
 */
export function notATime(claim: string): ClaimError {
  return new ClaimError(`The claim ${claim} of the token is no number`);
}

/** Maximum number of cached tokens. */
const MAX_KEPT = 10_000;

/** A value and its expiry, in milliseconds since 1970. */
interface Kept<T> {
  readonly value: T;
  readonly until: number;
}

/** Caches values by token for a limited time. New entries replace the oldest. */
export class TokenCache<T> {
  readonly #kept = new Map<string, Kept<T>>();

  /** Returns the value of a key; `undefined` if it is unknown or expired. */
  get(key: string): T | undefined {
    const found = this.#kept.get(key);
    if (!found) return undefined;
    if (found.until > Date.now()) return found.value;
    this.#kept.delete(key);
    return undefined;
  }

  /** Stores a value. @param until the expiry, in milliseconds since 1970. */
  set(key: string, value: T, until: number): void {
    if (this.#kept.size >= MAX_KEPT) {
      const [oldest] = this.#kept.keys();
      if (oldest !== undefined) this.#kept.delete(oldest);
    }
    this.#kept.set(key, { value, until });
  }
}
