import type { Logger, MaybePromise } from '@sigil/core';
import type { OptionChecks } from '@sigil/core/internal';
import type { Issuers } from './issuer.js';
import { ClaimError, TokenError } from './provider.js';
import type { TokenClaims } from './scopes.js';

/** The values that token checks use. */
export interface TokenCheckParts {
  /** The identifier of this server. */
  readonly resource: string;
  readonly issuers: Issuers;
  readonly logger: Logger;
}

/**
 * Checks a token.
 *
 * @param client the text that identifies the client in quotas; `undefined` if clients cannot be distinguished.
 * @returns the claims of the token.
 * @throws TokenError when the token is invalid.
 * @throws ProviderError when the token cannot be checked now.
 */
export type CheckToken = (token: string, client?: string) => MaybePromise<TokenClaims>;

/** A way to check tokens. `jwt()` and `introspection()` create one. */
export interface TokenCheck {
  /** Reports all problems in the options of this token check to `checks`. @param issuers the number of issuers. */
  check(checks: OptionChecks, issuers: number): void;
  /** Creates the function that checks tokens. Call `create` only if `check` has reported no problems. */
  create(parts: TokenCheckParts): CheckToken;
}

/**
 * Returns the claims of a token, or `undefined` if the token is invalid. The function must check that the token was
 * issued for this server. If the claims contain `exp` or `nbf`, the server enforces them. With several issuers, the
 * claims must contain `iss`.
 */
export type TokenVerifier = (token: string) => MaybePromise<TokenClaims | undefined>;

/**
 * Creates a function that checks whether a token was issued for this server.
 *
 * @param audience the accepted audiences. A token must contain one of them.
 * @returns a function that receives the audience claim of a token. It returns `true` if the claim is an accepted
 *   audience, or if the claim is a list with an accepted audience.
 */
export function audienceTest(audience: string | readonly string[]): (claimed: unknown) => boolean {
  const audiences: readonly string[] = typeof audience === 'string' ? [audience] : audience;
  return (claimed) => {
    const named: readonly unknown[] = Array.isArray(claimed) ? claimed : [claimed];
    return named.some((one) => typeof one === 'string' && audiences.includes(one));
  };
}

/** Creates the error for a token that was not issued for this server. @param claimed the audience in the token. */
export function notForUs(claimed: unknown): TokenError {
  return new TokenError('The token was not issued for this server', {
    audience: claimed === undefined ? 'none' : JSON.stringify(claimed),
  });
}

/** The default limit on the difference between the clocks of this server and of an issuer, in seconds. */
export const CLOCK_TOLERANCE_SECONDS = 30;

/**
 * Checks that a token has not expired (`exp`) and is already valid (`nbf`). For `nbf`, clocks can differ by 30 seconds;
 * for `exp`, there is no tolerance.
 *
 * @throws TokenError if the token is not valid yet, or has expired.
 * @throws ClaimError if `exp` or `nbf` is not a number, because such a limit could not be enforced.
 */
export function requireInTime(claims: TokenClaims): void {
  for (const name of ['exp', 'nbf'] as const)
    if (claims[name] !== undefined && !Number.isFinite(claims[name])) throw notATime(name);
  const { exp = Infinity, nbf = -Infinity } = claims;
  const now = Date.now() / 1000;
  if (exp <= now) throw new TokenError('The token has expired');
  if (nbf > now + CLOCK_TOLERANCE_SECONDS) throw new TokenError('The token is not valid yet');
}

/**
 * Creates the error for a time claim that is not a number of seconds since 1970 (RFC 7519, section 2, "NumericDate").
 * @param claim the name of the claim.
 */
export function notATime(claim: string): ClaimError {
  return new ClaimError(`The claim ${claim} of the token is not a number`);
}

/** Maximum number of cached tokens. */
const MAX_KEPT = 10_000;

/** A value and its expiry, in milliseconds since 1970. */
interface Kept<T> {
  readonly value: T;
  readonly until: number;
}

/** Caches values by token for a limited time. When the cache is full, new entries replace the oldest ones. */
export class TokenCache<T> {
  readonly #kept = new Map<string, Kept<T>>();

  /** Returns the value of a key; `undefined` if there is no value, or if the value has expired. */
  get(key: string): T | undefined {
    const found = this.#kept.get(key);
    if (!found) return undefined;
    if (found.until > Date.now()) return found.value;
    this.#kept.delete(key);
    return undefined;
  }

  /** Stores a value. @param until the time when the value expires, in milliseconds since 1970. */
  set(key: string, value: T, until: number): void {
    if (this.#kept.size >= MAX_KEPT) {
      const [oldest] = this.#kept.keys();
      if (oldest !== undefined) this.#kept.delete(oldest);
    }
    this.#kept.set(key, { value, until });
  }
}
