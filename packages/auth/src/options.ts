import { isObject, type OptionChecks, type OptionTable } from '@sigil/core/internal';
import type { Principal } from '@sigil/core/transport';
import { checkSeconds } from './check-seconds.js';
import { checkCredentials } from './client-authentication.js';
import { PROOF_ALGORITHMS } from './dpop.js';
import { isKeySet, type IssuerOptions } from './issuer.js';
import type { ResourceMetadata } from './metadata.js';
import { LookUps } from './look-ups.js';
import { ClaimError, isSafeUrl, TokenError } from './provider.js';
import { type ScopeOptions, Scopes, type TokenClaims } from './scopes.js';
import type { CheckToken, TokenCheck, TokenCheckParts, TokenVerifier } from './tokens.js';
import type { UpstreamOptions } from './upstream.js';

/**
 * Whether a token can (`'accept'`) or must (`'require'`) be bound to a key of its client (DPoP, RFC 9449). `'off'`
 * refuses bound tokens.
 */
export type DpopMode = 'off' | 'accept' | 'require';

/** Name and links that describe a resource to users. */
export interface ResourceDescription {
  readonly name?: string;
  /** The URL of the documentation of the resource. `policy` and `terms` are URLs too. */
  readonly documentation?: string;
  readonly policy?: string;
  readonly terms?: string;
}

/** Options of `oauth()`. */
export interface OAuthOptions {
  /** The public URL of the MCP endpoint. Tokens are issued for this URL. It is never derived from a request. */
  readonly resource: string;
  /**
   * The authorization servers that issue tokens for the resource. A string is the issuer identifier; everything else is
   * then read from the metadata of the authorization server.
   */
  readonly issuers: readonly (string | IssuerOptions)[];
  /** How tokens are checked: the result of `jwt()` or `introspection()`, or your own function. */
  readonly tokens: TokenCheck | TokenVerifier;
  /** The scopes of this server. */
  readonly scopes?: ScopeOptions;
  /**
   * Whether requests without a token are served. With `'allow'`, they can use the definitions (such as tools) that
   * require no scopes; all other definitions need a token. A session (revision 2025-11-25 or earlier) that was opened
   * without a token has no owner at first. The first principal that uses the session becomes its owner. The open
   * streams of the session then end, and requests without a token can no longer use the session.
   *
   * @default 'refuse'
   */
  readonly anonymous?: 'refuse' | 'allow';
  /**
   * Whether a token can (`'accept'`) or must (`'require'`) be bound to a key of its client (DPoP, RFC 9449).
   *
   * @default 'off'
   */
  readonly dpop?: DpopMode;
  /**
   * Whether proofs of possession need a nonce from this server. If the app runs in several processes, also set the
   * option `state.keys` of the app.
   *
   * @default false
   */
  readonly dpopNonce?: boolean;
  /**
   * How many seconds the result of a successful token check is used again for the same token; at most 60.
   *
   * @default 0: each request checks its token
   */
  readonly cacheSeconds?: number;
  /**
   * A function that receives the claims and scopes of a token, and returns the principal. The id of the principal must
   * be unique across all issuers, so `sub` alone is not enough: two issuers can use the same `sub`. The returned object
   * is copied without its methods.
   *
   * @default the id is `<issuer>#<subject>`, or `<issuer>#client:<client>` if the subject is the client itself
   */
  readonly principal?: (claims: TokenClaims, scopes: readonly string[]) => Principal;
  /**
   * Whether a token without a subject counts as the token of a client that acts for itself. Set this option only if the
   * tokens of all users have a subject. Otherwise, users without a subject would share one principal.
   *
   * @default false: such tokens are refused
   */
  readonly clientsWithoutSubject?: boolean;
  /** How `upstreamToken` gets tokens for the services that handlers call. */
  readonly upstream?: UpstreamOptions;
  /** Name and links that describe this server to users, in the metadata of the resource. */
  readonly description?: ResourceDescription;
  /**
   * Whether this server also serves the metadata of the first issuer, at `/.well-known/oauth-authorization-server`.
   * Clients of revision 2025-03-26 request that path, and do not read the metadata of the resource.
   *
   * @default false
   */
  readonly serveIssuerMetadata?: boolean;
}

const OAUTH_OPTIONS: OptionTable<OAuthOptions> = {
  resource: true,
  issuers: true,
  tokens: true,
  scopes: true,
  anonymous: true,
  dpop: true,
  dpopNonce: true,
  cacheSeconds: true,
  principal: true,
  clientsWithoutSubject: true,
  upstream: true,
  description: true,
  serveIssuerMetadata: true,
};

/** The options of `oauth()` with all defaults filled in. */
export interface ResolvedOAuth {
  readonly resource: string;
  readonly issuers: readonly IssuerOptions[];
  readonly tokens: (parts: TokenCheckParts) => CheckToken;
  readonly scopes: Scopes;
  readonly anonymous: 'refuse' | 'allow';
  readonly dpop: { readonly mode: DpopMode; readonly nonce: boolean };
  readonly cacheMs: number;
  readonly principal: NonNullable<OAuthOptions['principal']>;
  readonly upstream: UpstreamOptions | undefined;
  readonly metadata: ResourceMetadata;
  readonly serveIssuerMetadata: boolean;
  /** Warnings about allowed but unusual values. */
  readonly warnings: readonly string[];
}

/** Returns the options with all defaults filled in. Call `checkOptions` first. */
export function resolveOptions(options: OAuthOptions, checks: OptionChecks): ResolvedOAuth {
  const {
    tokens,
    anonymous = 'refuse',
    dpop = 'off',
    dpopNonce = false,
    cacheSeconds = 0,
    upstream,
    serveIssuerMetadata = false,
  } = options;
  const scopes = new Scopes(isObject(options.scopes) ? options.scopes : {}, checks);
  const given: readonly unknown[] = Array.isArray(options.issuers) ? options.issuers : [];
  const issuers = given.map((one) => (typeof one === 'string' ? { issuer: one } : (one as IssuerOptions)));
  const resource = canonical(options.resource);
  const { name, documentation, policy, terms } = options.description ?? {};
  return {
    resource,
    issuers,
    tokens:
      typeof tokens === 'function' ? (parts) => ownVerifier(tokens, parts) : (parts) => tokens.create(parts),
    scopes,
    anonymous,
    dpop: { mode: dpop, nonce: dpopNonce },
    cacheMs: cacheSeconds * 1000,
    principal:
      options.principal ??
      ((claims, granted) => principalOf(claims, granted, options.clientsWithoutSubject ?? false)),
    upstream,
    metadata: {
      resource,
      authorization_servers: issuers.map(({ issuer }) => issuer),
      scopes_supported: scopes.advertised.length > 0 ? scopes.advertised : undefined,
      resource_name: name,
      resource_documentation: documentation,
      resource_policy_uri: policy,
      resource_tos_uri: terms,
      dpop_signing_alg_values_supported: dpop === 'off' ? undefined : PROOF_ALGORITHMS,
      dpop_bound_access_tokens_required: dpop === 'require' ? true : undefined,
    },
    serveIssuerMetadata,
    warnings: warningsAbout(resource, issuers, options.scopes?.prefix),
  };
}

function warningsAbout(
  resource: string,
  issuers: readonly IssuerOptions[],
  prefix: string | undefined,
): readonly string[] {
  const warnings = resource.endsWith('/')
    ? [
        `oauth: the resource ${resource} ends in a slash; clients that omit the slash get tokens for another resource`,
      ]
    : [];
  for (const { issuer } of issuers)
    if (/^https:\/\/[^/]+\.auth0\.com$/.test(issuer))
      warnings.push(`oauth: tokens of Auth0 contain the issuer with a slash at the end; write ${issuer}/`);
  if (prefix !== undefined && /[a-z\d]$/i.test(prefix))
    warnings.push(
      `oauth: scopes.prefix does not end in a separator such as a slash, so clients request scopes such as ${prefix}mcp`,
    );
  return warnings;
}

/**
 * Returns a URL with scheme and host in lower case, and without a slash if it has no path (2026-07-28,
 * basic/authorization, "Canonical Server URI").
 */
function canonical(resource: string): string {
  // An invalid URL has been reported before.
  if (!URL.canParse(resource)) return '';
  const { origin, pathname, search } = new URL(resource);
  return `${origin}${pathname === '/' ? '' : pathname}${search}`;
}

function principalOf(
  claims: TokenClaims,
  scopes: readonly string[],
  clientsWithoutSubject: boolean,
): Principal {
  const { iss, sub } = claims;
  if (sub !== undefined && !isName(sub)) throw new ClaimError('The claim sub of the token is not a string');
  const clients = CLIENT_CLAIMS.map((name) => claims[name]).filter(isName);
  // A client that acts for itself may have an id that is also the subject of a user (RFC 9068, section 5).
  if (sub !== undefined)
    return { id: `${iss}#${clients.includes(sub) ? `client:${sub}` : asSubject(sub)}`, scopes, claims };
  const [client] = clients;
  if (clientsWithoutSubject && client !== undefined && claims['username'] === undefined)
    return { id: `${iss}#client:${client}`, scopes, claims };
  // The client may have many users, who would all share one principal.
  throw new ClaimError('The token has no subject', {
    hint: 'configure the issuer to write sub into its tokens; or, if the tokens of all users already have sub, set oauth({ clientsWithoutSubject: true })',
  });
}

/** The claims that name the client of a token: in RFC 9068, in OpenID Connect, and at Okta. */
const CLIENT_CLAIMS = ['client_id', 'azp', 'cid'];

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Escapes a subject, so that it cannot be confused with a client. */
function asSubject(sub: string): string {
  return /^(?:client|subject):/.test(sub) ? `subject:${sub}` : sub;
}

/** Wraps an author's verifier: its result passes the checks that apply to all tokens. */
function ownVerifier(verify: TokenVerifier, { issuers }: TokenCheckParts): CheckToken {
  // The result of the verifier is not cached beyond a request: it may change at any time.
  const lookUps = new LookUps({ good: 0, refused: 0 });
  return (token, client) =>
    lookUps.find(token, client, async () => {
      const claims = await verify(token);
      if (!claims) throw new TokenError('The token is not valid');
      const { iss = issuers.only } = claims;
      return { ...claims, iss: issuers.get(iss).id };
    });
}

/** Reports all problems in the options to `checks`. */
export function checkOptions(options: OAuthOptions, checks: OptionChecks): void {
  checks.known(options, OAUTH_OPTIONS);
  checkResource(options.resource, checks);
  checkIssuers(options.issuers, checks);
  const tokens: unknown = options.tokens;
  if (isTokenCheck(tokens)) tokens.check(checks, Array.isArray(options.issuers) ? options.issuers.length : 0);
  else if (typeof tokens !== 'function')
    checks.refuse(
      'tokens',
      'it must define how tokens are checked',
      "use jwt({ algorithms: ['RS256'] }), introspection({ … }), or a function",
    );
  if (options.scopes !== undefined && !isObject(options.scopes))
    checks.refuse('scopes', 'it must be an object with any of initial, advertised, prefix, implies, read');
  oneOf('anonymous', options.anonymous, ['refuse', 'allow'], checks);
  oneOf('dpop', options.dpop, ['off', 'accept', 'require'], checks);
  checks.booleans(options, 'dpopNonce', 'clientsWithoutSubject', 'serveIssuerMetadata');
  if (options.dpopNonce === true && (options.dpop ?? 'off') === 'off')
    checks.refuse(
      'dpopNonce',
      'without proofs, there are no nonces',
      "also set dpop to 'accept' or 'require'",
    );
  checkSeconds('cacheSeconds', options.cacheSeconds, 60, checks);
  if (options.principal !== undefined && options.clientsWithoutSubject !== undefined)
    checks.refuse(
      'clientsWithoutSubject',
      'the option principal already determines the principal',
      'use one of the two',
    );
  if (options.principal !== undefined && typeof options.principal !== 'function')
    checks.refuse('principal', 'it must be a function that creates a principal from claims');
  if (options.upstream !== undefined) {
    checkCredentials('upstream', options.upstream, checks);
    oneOf('upstream.grant', options.upstream.grant, ['token-exchange', 'client-credentials'], checks);
  }
}

function isTokenCheck(tokens: unknown): tokens is TokenCheck {
  return isObject(tokens) && typeof tokens['check'] === 'function' && typeof tokens['create'] === 'function';
}

function oneOf(option: string, value: unknown, known: readonly string[], checks: OptionChecks): void {
  if (value !== undefined && !known.some((one) => one === value))
    checks.refuse(option, `it must be ${known.map((one) => `'${one}'`).join(' or ')}`);
}

const HTTPS = 'an https URL, or an http URL of this machine';

function checkResource(resource: unknown, checks: OptionChecks): void {
  const fix = 'use the URL of the MCP endpoint that clients use, such as https://mcp.example.com/mcp';
  if (typeof resource !== 'string' || !URL.canParse(resource))
    checks.refuse('resource', 'it must be a URL', fix);
  else if (resource.includes('#')) checks.refuse('resource', 'it must have no fragment', fix);
  else if (!isSafeUrl(resource)) checks.refuse('resource', `it must be ${HTTPS}`, fix);
}

const ENDPOINTS = ['jwksUri', 'introspectionEndpoint', 'tokenEndpoint'] as const;
const ISSUER_OPTIONS: OptionTable<IssuerOptions> = {
  issuer: true,
  jwksUri: true,
  jwks: true,
  introspectionEndpoint: true,
  tokenEndpoint: true,
};

function checkIssuers(issuers: unknown, checks: OptionChecks): void {
  const fix =
    "write the value that iss has in the tokens of each authorization server, for example ['https://id.example.com']";
  if (!Array.isArray(issuers) || issuers.length === 0)
    return checks.refuse('issuers', 'it must be a list of at least one authorization server', fix);
  for (const given of issuers) {
    const one: unknown = typeof given === 'string' ? { issuer: given } : given;
    if (!isObject(one)) {
      checks.refuse('issuers', 'each item must be a URL, or an object with the member issuer', fix);
      continue;
    }
    checks.known(one, ISSUER_OPTIONS, 'issuers.');
    const { jwks } = one;
    if (jwks !== undefined && !isKeySet(jwks))
      checks.refuse(
        'issuers.jwks',
        'it must be a JWKS: an object with a list of keys. Each key needs the member kty',
        'pass { keys: [ … ] }',
      );
    if (!isSafeUrl(one['issuer']) || String(one['issuer']).includes('?'))
      checks.refuse('issuers', `${JSON.stringify(one['issuer'])} must be ${HTTPS}, without a query`, fix);
    for (const name of ENDPOINTS)
      if (one[name] !== undefined && !isSafeUrl(one[name]))
        checks.refuse(`issuers.${name}`, `it must be ${HTTPS}`);
  }
}
