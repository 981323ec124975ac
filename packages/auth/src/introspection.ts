import type { OptionChecks } from '@sigil/core/transport';
import { authenticateClient, checkCredentials, type ClientCredentials } from './client-authentication.js';
import type { Issuer } from './issuer.js';
import { askProvider, ProviderError, TokenError } from './provider.js';
import type { TokenClaims } from './scopes.js';
import {
  audienceTest,
  type CheckToken,
  hashOf,
  TokenCache,
  type TokenCheck,
  type TokenCheckParts,
} from './tokens.js';

/** How tokens are looked up at their issuer. */
export interface IntrospectionOptions extends ClientCredentials {
  /**
   * What the issuer says of tokens for this server as `aud`: one of these.
   *
   * @default the `resource`
   */
  readonly audience?: string | readonly string[];
  /**
   * For how many seconds an answer is believed; at most until the token expires.
   *
   * @default 30
   */
  readonly cacheSeconds?: number;
}

const INTROSPECTION_OPTIONS: Readonly<Record<keyof IntrospectionOptions, true>> = {
  clientId: true,
  clientSecret: true,
  privateKey: true,
  audience: true,
  cacheSeconds: true,
};

/** That a token is not good is believed for so long, in milliseconds. */
const REFUSAL_MS = 10_000;
/** Most questions at once. */
const MAX_ASKED = 64;

/**
 * Checks tokens by asking their issuer (RFC 7662): for tokens that are no JWT, or that have to end the moment they are revoked.
 *
 * @param options who asks, and what tokens for this server say.
 * @returns what `oauth({ tokens })` takes.
 * @example
 * ```ts
 * oauth({
 *   resource: 'https://mcp.example.com/mcp',
 *   issuers: ['https://id.example.com'],
 *   tokens: introspection({ clientId: 'mcp', clientSecret: process.env['CLIENT_SECRET'] ?? '' }),
 * });
 * ```
 * @see https://www.rfc-editor.org/rfc/rfc7662
 */
export function introspection(options: IntrospectionOptions): TokenCheck {
  return {
    check: (checks) => checkOptions(options, checks),
    create: (parts) => new Introspection(options, parts).check,
  };
}

/** What is known of a token: what it says, or why it is not good. */
type Known = TokenClaims | TokenError;

class Introspection {
  readonly #answers = new TokenCache<TokenClaims>();
  /** Why tokens are not good. Kept apart: anybody makes up such tokens, and they must not push out those that are. */
  readonly #refusals = new TokenCache<string>();
  readonly #asking = new Map<string, Promise<Known>>();
  readonly #isForUs: (claimed: unknown) => boolean;
  readonly #cacheMs: number;

  constructor(
    private readonly options: IntrospectionOptions,
    private readonly parts: TokenCheckParts,
  ) {
    const { audience = parts.resource, cacheSeconds = 30 } = options;
    this.#isForUs = audienceTest(audience);
    this.#cacheMs = cacheSeconds * 1000;
  }

  readonly check: CheckToken = async (token) => {
    const hash = hashOf(token);
    const refusal = this.#refusals.get(hash);
    if (refusal !== undefined) throw new TokenError(refusal);
    const known = this.#answers.get(hash) ?? (await this.#ask(token, hash));
    if (known instanceof TokenError) throw known;
    if (typeof known.exp === 'number' && known.exp * 1000 <= Date.now())
      throw new TokenError('The token has expired');
    return known;
  };

  /** Asks once for all who wait for the answer. */
  #ask(token: string, hash: string): Promise<Known> {
    const asking = this.#asking.get(hash);
    if (asking) return asking;
    if (this.#asking.size >= MAX_ASKED) throw new ProviderError('Too many tokens are being looked up');
    const asked = this.#lookUp(token)
      .then((known) => {
        this.#remember(hash, known);
        return known;
      })
      .finally(() => this.#asking.delete(hash));
    this.#asking.set(hash, asked);
    return asked;
  }

  #remember(hash: string, known: Known): void {
    const now = Date.now();
    if (known instanceof TokenError) return this.#refusals.set(hash, known.message, now + REFUSAL_MS);
    const { exp } = known;
    const believed = now + this.#cacheMs;
    this.#answers.set(hash, known, exp === undefined ? believed : Math.min(believed, exp * 1000));
  }

  /** Asks the issuers, one after another: a token of this kind does not tell whose it is. */
  async #lookUp(token: string): Promise<Known> {
    let failure: unknown;
    for (const issuer of this.parts.issuers.all) {
      try {
        const claims = await this.#lookUpAt(issuer, token);
        if (claims) return claims;
      } catch (error) {
        failure = error;
      }
    }
    // One that could not be asked may know it.
    if (failure instanceof Error) throw failure;
    return new TokenError('The token is not active');
  }

  async #lookUpAt(issuer: Issuer, token: string): Promise<Known | undefined> {
    const url = await issuer.endpoint('introspectionEndpoint');
    const form = new URLSearchParams({ token, token_type_hint: 'access_token' });
    const headers = await authenticateClient(this.options, issuer.id, form);
    const { status, body } = await askProvider(url, { form, headers });
    if (status !== 200 || !body) throw new ProviderError(`${url} answered ${status}`);
    if (body['active'] !== true) return undefined;
    if (body['iss'] !== undefined && body['iss'] !== issuer.id)
      return new TokenError('The issuer of the token is not accepted here');
    if (!this.#isForUs(body['aud'])) return new TokenError('The token was not issued for this server');
    return { ...body, iss: issuer.id };
  }
}

function checkOptions(options: IntrospectionOptions, checks: OptionChecks): void {
  checks.known(options, Object.keys(INTROSPECTION_OPTIONS), 'tokens: introspection.');
  checkCredentials('tokens: introspection', options, checks);
  const { cacheSeconds } = options;
  if (
    cacheSeconds !== undefined &&
    !(typeof cacheSeconds === 'number' && cacheSeconds >= 0 && cacheSeconds <= 300)
  )
    checks.refuse('tokens: introspection.cacheSeconds', 'it must be a number from 0 to 300');
}
