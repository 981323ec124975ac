import type { OptionChecks, OptionTable } from '@sigil/core/internal';
import { checkSeconds } from './check-seconds.js';
import { authenticateClient, checkCredentials, type ClientCredentials } from './client-authentication.js';
import { LookUps } from './look-ups.js';
import { askProvider, ProviderError, TokenError } from './provider.js';
import type { TokenClaims } from './scopes.js';
import { audienceTest, type CheckToken, notForUs, type TokenCheck, type TokenCheckParts } from './tokens.js';

/** Options of `introspection()`. */
export interface IntrospectionOptions extends ClientCredentials {
  /**
   * The accepted values of `aud` in the issuer's response about a token.
   *
   * @default the `resource` of `oauth()`
   */
  readonly audience?: string | readonly string[];
  /**
   * How many seconds the issuer's response about a token is cached, at most until the token expires. A revoked token is
   * still accepted while its response is cached. With 0, the issuer is asked at every request.
   *
   * @default 30
   */
  readonly cacheSeconds?: number;
}

const INTROSPECTION_OPTIONS: OptionTable<IntrospectionOptions> = {
  clientId: true,
  clientSecret: true,
  privateKey: true,
  audience: true,
  cacheSeconds: true,
};

/** How long the result that a token is invalid is cached, in milliseconds. */
const REFUSAL_MS = 10_000;

/**
 * Checks tokens by asking their issuer (RFC 7662). Use `introspection()` for opaque tokens, or if revoked tokens must
 * be refused soon. With `cacheSeconds: 0`, a revoked token is refused at the next request. Checks of unknown tokens are
 * limited. A token is unknown if the issuer has not confirmed it in the last hour. At most 64 unknown tokens are
 * checked at the same time. Further requests with unknown tokens wait for their check. A request that has waited for 5
 * seconds gets 503. For each network address, at most 32 requests with unknown tokens can wait or be checked at the
 * same time. Further such requests from the address get 503 immediately.
 *
 * @param options the client credentials of this server, and the audience of its tokens. `oauth()` must have exactly one
 *   issuer, because the issuer sees all tokens.
 * @returns a value for `oauth({ tokens })`.
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
    check: (checks, issuers) => checkOptions(options, issuers, checks),
    create: (parts) => new Introspection(options, parts).check,
  };
}

class Introspection {
  readonly #lookUps: LookUps;
  readonly #isForUs: (claimed: unknown) => boolean;

  constructor(
    private readonly options: IntrospectionOptions,
    private readonly parts: TokenCheckParts,
  ) {
    const { audience = parts.resource, cacheSeconds = 30 } = options;
    this.#isForUs = audienceTest(audience);
    this.#lookUps = new LookUps({ good: cacheSeconds * 1000, refused: REFUSAL_MS });
  }

  readonly check: CheckToken = (token, client) => this.#lookUps.find(token, client, () => this.#ask(token));

  async #ask(token: string): Promise<TokenClaims> {
    const issuer = this.parts.issuers.get(this.parts.issuers.only);
    const url = await issuer.endpoint('introspectionEndpoint');
    const form = new URLSearchParams({ token, token_type_hint: 'access_token' });
    const headers = await authenticateClient(this.options, issuer.id, form);
    const { status, body } = await askProvider(url, { form, headers });
    if (status === 401)
      throw new ProviderError(
        `${url} answered with status 401: check clientId and clientSecret (or privateKey)`,
      );
    if (status !== 200 || !body) throw new ProviderError(`${url} answered ${status}`);
    if (body['active'] !== true) throw new TokenError('The token is not active');
    if (body['iss'] !== undefined && body['iss'] !== issuer.id)
      throw new TokenError('This server does not accept the issuer of the token');
    // Some issuers call every token active that they have issued.
    if (['token_type', 'token_use', 'typ'].some((name) => OTHER_TOKENS.test(String(body[name]))))
      throw new TokenError('The token is not an access token');
    if (!this.#isForUs(body['aud'])) throw notForUs(body['aud']);
    return { ...body, iss: issuer.id };
  }
}

/** The types of tokens that only their client may use. */
const OTHER_TOKENS = /^(?:refresh|id)(?:_token)?$/i;

function checkOptions(options: IntrospectionOptions, issuers: number, checks: OptionChecks): void {
  // An opaque token does not name its issuer: each issuer would get the tokens of the other issuers, and the secret of
  // this server.
  if (issuers > 1)
    checks.refuse(
      'tokens',
      `introspection() needs exactly one issuer, not ${issuers}, because each issuer would get the tokens of the others`,
      'use one issuer, or set tokens to your own function that determines the issuer of each token',
    );
  checks.known(options, INTROSPECTION_OPTIONS, 'tokens: introspection.');
  checkCredentials('tokens: introspection', options, checks);
  checkSeconds('tokens: introspection.cacheSeconds', options.cacheSeconds, 300, checks);
}
