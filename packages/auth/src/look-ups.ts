import { TokenError } from './provider.js';
import type { TokenClaims } from './scopes.js';
import { Semaphore, type SemaphoreLimits } from './semaphore.js';
import { sha256 } from './sha256.js';
import { SingleFlight } from './single-flight.js';
import { requireInTime, TokenCache } from './tokens.js';

/**
 * How many are under way of tokens that are not known. A client that sends one wrong token after the other leaves half of those at once to
 * the others.
 */
const UNKNOWN: SemaphoreLimits = { running: 64, total: 1024, perClient: 32, waitMs: 5_000 };

/** How many are under way in all: a quarter as many more are left to tokens that were good before, wherever the others come from. */
const ALL: SemaphoreLimits = { ...UNKNOWN, running: 80, total: 1280 };

/** For how long it is remembered that a token was good, in milliseconds. */
const KNOWN_MS = 60 * 60_000;

/** How long results are cached, in milliseconds; 0 for not at all. */
export interface LookUpTimes {
  readonly good: number;
  readonly refused: number;
}

/** Looks tokens up elsewhere: not too many at once, each once for all requests that carry it, and not again for a while. */
export class LookUps {
  readonly #good = new TokenCache<TokenClaims>();
  /** Separate from valid tokens, so that wrong ones cannot displace them. */
  readonly #refused = new TokenCache<string>();
  readonly #asked = new SingleFlight<TokenClaims>();
  /** Tokens that were valid at their last look-up. */
  readonly #known = new TokenCache<true>();
  readonly #unknown = new Semaphore(UNKNOWN);
  readonly #all = new Semaphore(ALL);

  constructor(private readonly times: LookUpTimes) {}

  /**
   * Looks a token up.
   *
   * @param client quota key of the look-up; `undefined` if clients are indistinguishable.
   * @param look asks for it. @throws TokenError when it is not good.
   * @throws TokenError when it is not good, or not at this time.
   * @throws OverloadedError when too many are looked up.
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
