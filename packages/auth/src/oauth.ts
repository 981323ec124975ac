/*
 * The path of a request: its token is read from the header `Authorization` and checked by `jwt.ts` or
 * `introspection.ts`, with the keys and endpoints of its issuer (`issuer.ts`). If required, `dpop.ts` checks that it is
 * bound to its sender. Its claims become the principal. A missing token or scope becomes a challenge (`challenges.ts`)
 * with the URL of this server's metadata (`metadata.ts`).
 */

import type { MaybePromise } from '@sigil/core';
import { OverloadedError } from '@sigil/core/backend';
import { frozenCopy, isObject, LogThrottle, OptionChecks } from '@sigil/core/internal';
import { type Principal, requirePrincipal } from '@sigil/core/transport';
import type {
  Authorization,
  AuthorizationHost,
  Authorizer,
  Decision,
  RequestHead,
} from '@sigil/http/authentication';
import { Challenges, type Scheme } from './challenges.js';
import { checkOptions, type OAuthOptions, type ResolvedOAuth, resolveOptions } from './options.js';
import { type Nonces, PROOF_ALGORITHMS, ProofCheck, ProofError } from './dpop.js';
import { Issuers } from './issuer.js';
import { MetadataDocuments } from './metadata.js';
import { ClaimError, ProviderError, TokenError } from './provider.js';
import { type CheckToken, TokenCache } from './tokens.js';
import { rememberToken } from './upstream.js';

/**
 * Protects an HTTP server as an OAuth 2.1 resource server: requests need an access token from one of the given
 * authorization servers. A request without a token is answered with 401 and the URL of the resource metadata, which
 * lists the authorization servers. A request whose token lacks scopes is answered with 403 and the needed scopes.
 *
 * @param options the identifier of this server, the issuers of its tokens, and how tokens are checked.
 * @returns a value for the option `authorization` of `http()` and of the handlers for other servers.
 * @throws DefinitionError when an option is wrong. The function does not contact the authorization servers.
 * @example
 * ```ts
 * await app.run(
 *   http({
 *     host: '0.0.0.0',
 *     authorization: oauth({
 *       resource: 'https://mcp.example.com/mcp',
 *       issuers: ['https://id.example.com'],
 *       tokens: jwt({ algorithms: ['RS256', 'ES256'] }),
 *       scopes: { initial: ['mcp'], implies: { 'files:write': ['files:read'] } },
 *     }),
 *   }),
 * );
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
export function oauth(options: OAuthOptions): Authorization {
  OptionChecks.requireObject('oauth', options);
  const checks = new OptionChecks('oauth');
  checkOptions(options, checks);
  const resolved = resolveOptions(options, checks);
  checks.throwIfAny();
  return (host) => {
    for (const warning of resolved.warnings) host.logger.warn(warning);
    return new ResourceServer(resolved, host);
  };
}

/** The syntax of `Authorization`: a scheme and credentials. */
const CREDENTIALS = /^([A-Za-z]+) +([A-Za-z0-9\-._~+/]+=*) *$/;

/** The claims and principal of a valid token. */
interface Known {
  readonly principal: Principal;
  /** The thumbprint of the key that the token is bound to. */
  readonly boundTo: string | undefined;
  /** When the token expires, in milliseconds since 1970. */
  readonly expiresAt: number;
}

/** A cached decision about requests with a token. */
interface Remembered {
  /** The header `Authorization`, as it was sent. */
  readonly sent: string;
  readonly decision: Decision;
}

class ResourceServer implements Authorizer {
  readonly resource: string;
  readonly #challenges: Challenges;
  readonly #metadata: MetadataDocuments;
  readonly #check: CheckToken;
  readonly #issuers: Issuers;
  readonly #proofs: ProofCheck;
  /** Decisions about requests that need no proof, by the end of their header `Authorization`. */
  readonly #remembered = new TokenCache<Remembered>();
  /** Limits log lines that clients can cause at will. */
  readonly #told = new LogThrottle();
  /** The scheme that each principal used to send its token. */
  readonly #schemes = new WeakMap<Principal, Scheme>();

  constructor(
    private readonly options: ResolvedOAuth,
    private readonly host: AuthorizationHost,
  ) {
    const { resource, scopes, dpop, tokens, metadata } = options;
    this.resource = resource;
    this.#metadata = new MetadataDocuments(
      metadata,
      options.serveIssuerMetadata ? () => this.#issuerMetadata() : undefined,
    );
    this.#challenges = new Challenges({
      metadataUrl: this.#metadata.url,
      initialScopes: scopes.initial,
      proofAlgorithms: PROOF_ALGORITHMS,
    });
    this.#issuers = new Issuers(options.issuers, host.logger);
    this.#check = tokens({ resource, issuers: this.#issuers, logger: host.logger });
    this.#proofs = new ProofCheck(resource, host.states, sealedNonces(host), dpop.nonce);
  }

  document(path: string): ReturnType<Authorizer['document']> {
    return this.#metadata.at(path);
  }

  /** The metadata of the first issuer, for clients that treat this server as the authorization server. */
  async #issuerMetadata(): Promise<string> {
    try {
      return await this.#issuers.first.metadata();
    } catch (error) {
      if (error instanceof Error && this.#told.allows(error.message))
        this.host.logger.error({ err: error }, 'the metadata of the issuer cannot be sent to clients');
      throw error;
    }
  }

  insufficientScope(
    scopes: readonly string[],
    principal: Principal | undefined,
  ): ReturnType<Authorizer['insufficientScope']> {
    // Without a token, the client needs one with these scopes.
    const asked = this.options.scopes.asked(scopes);
    if (!principal) return this.#challenges.noToken(this.#wanted, asked);
    return this.#challenges.insufficientScope(this.#schemes.get(principal) ?? 'Bearer', asked);
  }

  authorize(request: RequestHead, isOpen: boolean): MaybePromise<Decision> {
    const { authorization } = request.headers;
    if (hasTokenInQuery(request.url))
      return this.#malformed('The token must be in the header Authorization, not in the query of the URL');
    if (authorization === undefined) return this.#withoutToken();
    const sent = typeof authorization === 'string' ? authorization : '';
    const remembered = this.#remembered.get(endOf(sent));
    if (remembered?.sent === sent) return remembered.decision;
    const [, scheme = '', token = ''] = CREDENTIALS.exec(sent) ?? [];
    if (token === '') return this.#malformed('The header Authorization must be a scheme and a token');
    const { mode } = this.options.dpop;
    if (/^bearer$/i.test(scheme)) {
      if (mode === 'require')
        return { refusal: this.#challenges.invalidToken('DPoP', 'The token must be sent with a DPoP proof') };
      return this.#bearer(request, token, sent);
    }
    if (/^dpop$/i.test(scheme) && mode !== 'off') return this.#proven(request, token, isOpen);
    return this.#malformed(`The scheme must be ${this.#wanted}`);
  }

  #malformed(description: string): Decision {
    return { refusal: this.#challenges.malformed(this.#wanted, description) };
  }

  get #wanted(): Scheme {
    return this.options.dpop.mode === 'require' ? 'DPoP' : 'Bearer';
  }

  #withoutToken(): Decision {
    if (this.options.anonymous === 'allow') return { principal: undefined };
    return { refusal: this.#challenges.noToken(this.#wanted) };
  }

  /**
   * Checks a bearer token.
   * @param sent the value of the header, which is the key of the cached decision.
   */
  async #bearer({ quotaKey }: RequestHead, token: string, sent: string): Promise<Decision> {
    try {
      const { principal, boundTo, expiresAt } = await this.#verify(token, quotaKey);
      const { cacheMs, dpop } = this.options;
      if (boundTo !== undefined) {
        const scheme = dpop.mode === 'off' ? 'Bearer' : 'DPoP';
        return {
          refusal: this.#challenges.invalidToken(
            scheme,
            'The token is bound to a key, so it must be sent with a DPoP proof',
          ),
        };
      }
      const decision = { principal };
      if (cacheMs > 0) {
        const until = Math.min(expiresAt, Date.now() + cacheMs);
        this.#remembered.set(endOf(sent), { sent, decision }, until);
      }
      return decision;
    } catch (error) {
      return { refusal: this.#refusalOf(error, 'Bearer') };
    }
  }

  async #proven(
    { headers, method, quotaKey }: RequestHead,
    token: string,
    isOpen: boolean,
  ): Promise<Decision> {
    try {
      const { principal, boundTo } = await this.#verify(token, quotaKey);
      if (boundTo === undefined)
        throw new TokenError('The token is not bound to a key, so it cannot be sent with the scheme DPoP');
      // The proof of an open request was used when the request arrived.
      if (!isOpen) {
        const client = `principal ${principal.id}`;
        await this.#proofs.verify({ proof: headers['dpop'], method, token, boundTo, client });
      }
      this.#schemes.set(principal, 'DPoP');
      return { principal };
    } catch (error) {
      return { refusal: this.#refusalOf(error, 'DPoP') };
    }
  }

  async #verify(token: string, client: string | undefined): Promise<Known> {
    const claims = await this.#check(token, client);
    const { cnf, exp } = claims;
    const boundTo = keyOf(cnf);
    // The principal is copied: the copy belongs only to this token, which may serve many requests. The author may
    // return one object for several tokens; it is not changed.
    const given = requirePrincipal(this.options.principal(claims, this.options.scopes.of(claims)));
    const principal = frozenCopy({ ...given });
    rememberToken(principal, {
      token,
      issuer: this.#issuers.get(claims.iss),
      options: this.options.upstream,
    });
    return {
      principal,
      boundTo,
      // An introspected token can lack `exp`: the issuer's answer says when it ends, and is cached only briefly.
      expiresAt: typeof exp === 'number' ? exp * 1000 : Infinity,
    };
  }

  #refusalOf(error: unknown, scheme: Scheme): NonNullable<Decision['refusal']> {
    if (error instanceof ClaimError && this.#told.allows(error.message))
      this.host.logger.warn({ err: error }, 'tokens are refused, because their issuer writes invalid claims');
    if (error instanceof TokenError) {
      const refusal = this.#challenges.invalidToken(scheme, error.message);
      return error.details ? { ...refusal, details: error.details } : refusal;
    }
    if (error instanceof ProofError) return this.#challenges.invalidProof(error.message, error.nonce);
    if (!(error instanceof ProviderError || error instanceof OverloadedError)) throw error;
    if (this.#told.allows(error.message))
      this.host.logger.error({ err: error }, 'a token could not be checked');
    return this.#challenges.unavailable();
  }
}

/**
 * Returns the end of a header, which identifies a token almost as well as the whole header. The whole is
 * compared afterwards, because a look-up by a long text is much slower.
 */
function endOf(sent: string): string {
  return sent.slice(-32);
}

/** How long a nonce is sent to clients (`given`), and how long it is accepted (`taken`), in milliseconds. */
const NONCE_MS = { given: 60_000, taken: 5 * 60_000 };

/** Creates nonces that contain their time, encrypted with keys that all processes of the app have. */
function sealedNonces({ seal, unseal }: AuthorizationHost): Nonces {
  let last: { readonly nonce: Promise<string>; readonly at: number } | undefined;
  const renewed = (): Promise<string> => {
    const now = Date.now();
    last = { nonce: seal({ dpopNonce: now }), at: now };
    return last.nonce;
  };
  return {
    current: () => (last && Date.now() - last.at <= NONCE_MS.given ? last.nonce : renewed()),
    renewed,
    async read(nonce) {
      const unsealed = await unseal(nonce);
      const madeAt = isObject(unsealed) ? unsealed['dpopNonce'] : undefined;
      const isTaken = typeof madeAt === 'number' && Math.abs(Date.now() - madeAt) < NONCE_MS.taken;
      return isTaken ? { madeAt, takenUntil: madeAt + NONCE_MS.taken } : undefined;
    },
  };
}

/** Whether the query of a URL contains a token. Such a token would be written into logs. */
function hasTokenInQuery(url: string): boolean {
  const at = url.indexOf('?');
  return at >= 0 && new URLSearchParams(url.slice(at)).has('access_token');
}

/**
 * Reads which key a token is bound to.
 *
 * @returns the thumbprint of the key; `undefined` if the token is not bound to one.
 * @throws TokenError when the token is bound in a way that cannot be checked here, such as to a certificate.
 */
function keyOf(cnf: unknown): string | undefined {
  if (cnf === undefined) return undefined;
  const { jkt, ...others } = isObject(cnf) ? cnf : {};
  if (typeof jkt === 'string' && Object.keys(others).length === 0) return jkt;
  throw new TokenError('The claim cnf binds the token to a key in a way that this server cannot check');
}
