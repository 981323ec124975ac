import { TokenError } from './provider.js';
import type { TokenClaims } from './scopes.js';
import { Semaphore, type SemaphoreLimits } from './semaphore.js';
import { sha256 } from './sha256.js';
import { SingleFlight } from './single-flight.js';
import { requireInTime, TokenCache } from './tokens.js';

/**
 * The limits on concurrent look-ups of unknown tokens. A client that sends many wrong tokens can use at most half of
 * them; the rest is for other clients.
 */
const UNKNOWN: SemaphoreLimits = { running: 64, total: 1024, perClient: 32, waitMs: 5_000 };

/**
 * The limits on all concurrent look-ups. The additional quarter is only for tokens that were valid before, so
 * that unknown tokens cannot block them.
 */
const ALL: SemaphoreLimits = { ...UNKNOWN, running: 80, total: 1280 };

/** How long a token that was valid counts as known, in milliseconds. */
const KNOWN_MS = 60 * 60_000;

/**
 * How long the results for valid (`good`) and invalid (`refused`) tokens are cached, in milliseconds. 0 turns caching
 * off.
 */
export interface LookUpTimes {
  readonly good: number;
  readonly refused: number;
}

/**
 * Looks tokens up at their issuer, and caches the results. Concurrent requests with the same token share one look-up.
 * The number of concurrent look-ups is limited.
 */
export class LookUps {
  readonly #good = new TokenCache<TokenClaims>();
  /** Refused tokens, separate from valid ones so that they cannot displace them. */
  readonly #refused = new TokenCache<string>();
  readonly #asked = new SingleFlight<TokenClaims>();
  /** Tokens that were valid at their last look-up. */
  readonly #known = new TokenCache<true>();
  readonly #unknown = new Semaphore(UNKNOWN);
  readonly #all = new Semaphore(ALL);

  constructor(private readonly times: LookUpTimes) {}

  /**
   * Returns the claims of a token, from the cache or from its issuer.
   *
   * @param client the text that identifies the client in quotas; `undefined` if clients cannot be distinguished.
   * @param look a function that requests the claims from the issuer.
   * @throws TokenError if the token is invalid, has expired, or is not valid yet.
   * @throws OverloadedError if too many tokens are being looked up.
   */
  async find(
    token: string,
    client: string | undefined,
    look: () => Promise<TokenClaims>,
  ): Promise<TokenClaims> {
    const hash = sha256(token);
    const refused = this.#refused.get(hash);
    if (refused !== undefined) throw new TokenError(refused);
    const claims =
      this.#good.get(hash) ??
      (await this.#asked.run(hash, () => this.#inTurn(hash, client, () => this.#look(hash, look))));
    requireInTime(claims);
    return claims;
  }

  #inTurn<T>(hash: string, client: string | undefined, work: () => Promise<T>): Promise<T> {
    if (this.#known.get(hash)) return this.#all.run(client, work);
    return this.#unknown.run(client, () => this.#all.run(client, work));
  }

  async #look(hash: string, look: () => Promise<TokenClaims>): Promise<TokenClaims> {
    const { good, refused } = this.times;
    try {
      const claims = await look();
      this.#known.set(hash, true, Date.now() + KNOWN_MS);
      if (good > 0) this.#good.set(hash, claims, Date.now() + good);
      return claims;
    } catch (error) {
      if (error instanceof TokenError && refused > 0)
        this.#refused.set(hash, error.message, Date.now() + refused);
      throw error;
    }
  }
}
