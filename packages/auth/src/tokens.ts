import type { Logger, MaybePromise, OptionChecks } from '@sigil/core/transport';
import type { Issuers } from './issuer.js';
import type { TokenClaims } from './scopes.js';

/** What checking tokens may use. */
export interface TokenCheckParts {
  /** The identifier of this server. */
  readonly resource: string;
  readonly issuers: Issuers;
  readonly logger: Logger;
}

/**
 * Checks a token.
 *
 * @returns what it says.
 * @throws TokenError when it is not good.
 * @throws ProviderError when that cannot be found out now.
 */
export type CheckToken = (token: string) => MaybePromise<TokenClaims>;

/** A way to check tokens: made by `jwt()` or `introspection()`. */
export interface TokenCheck {
  /** Tells everything that is wrong with its options. */
  check(checks: OptionChecks): void;
  /** Whether issuers are asked for their keys or endpoints. */
  create(parts: TokenCheckParts): CheckToken;
}

/**
 * Says what a token means, or that it is not good by `undefined`. It must find out whether the token was issued for this server, and
 * what it says of its expiry is held to.
 */
export type TokenVerifier = (token: string) => MaybePromise<TokenClaims | undefined>;

/**
 * Tells tokens for this server from others.
 *
 * @param audience what they say whom they are for: one of these.
 * @returns whether a claim, a text or a list, names one of them.
 */
export function audienceTest(audience: string | readonly string[]): (claimed: unknown) => boolean {
  const audiences: readonly string[] = typeof audience === 'string' ? [audience] : audience;
  return (claimed) => {
    const named: readonly unknown[] = Array.isArray(claimed) ? claimed : [claimed];
    return named.some((one) => typeof one === 'string' && audiences.includes(one));
  };
}

/** Most tokens that are remembered. */
const MAX_KEPT = 10_000;

/** What is kept, until a time in milliseconds since 1970. */
interface Kept<T> {
  readonly value: T;
  readonly until: number;
}

/** What was found out about tokens, for a while. The oldest give way to new ones. */
export class TokenCache<T> {
  readonly #kept = new Map<string, Kept<T>>();
  /** What was asked for last: a client asks for the same again and again, and to compare is faster than to look up. */
  #last: (Kept<T> & { readonly key: string }) | undefined;

  /** @returns `undefined` for what is not known, or not any more. */
  get(key: string): T | undefined {
    const last = this.#last;
    const found = last?.key === key ? last : this.#kept.get(key);
    if (!found) return undefined;
    if (found.until > Date.now()) {
      if (found !== last) this.#last = { key, ...found };
      return found.value;
    }
    this.#last = undefined;
    this.#kept.delete(key);
    return undefined;
  }

  /** @param until in milliseconds since 1970. */
  set(key: string, value: T, until: number): void {
    if (this.#kept.size >= MAX_KEPT) {
      const [oldest] = this.#kept.keys();
      if (oldest !== undefined) this.#kept.delete(oldest);
    }
    this.#last = undefined;
    this.#kept.set(key, { value, until });
  }
}
