import { OptionChecks } from '@sigil/core/internal';
import { jwt } from './jwt.js';
import type { OAuthOptions } from './options.js';
import { LookUps } from './look-ups.js';
import { askProvider, ProviderError, TokenError } from './provider.js';
import { scopesIn, type TokenClaims } from './scopes.js';
import { notForUs, type TokenCheck } from './tokens.js';

/**
 * The options `issuers` and `tokens` of `oauth()`, for one kind of authorization server. Spread them into the options
 * object of `oauth()`.
 */
export type Preset = Pick<OAuthOptions, 'issuers' | 'tokens'>;

/** The location of an Auth0 tenant. */
export interface Auth0Options {
  /** The domain of the tenant, such as `acme.eu.auth0.com`, or your custom domain. */
  readonly domain: string;
  /**
   * The identifier of the API at Auth0.
   * @default the `resource` of `oauth()`, which must then be the identifier of the API
   */
  readonly audience?: string;
}

/**
 * Accepts tokens from Auth0. Scopes are read from `scope` and, if the API adds permissions to tokens, from
 * `permissions`. Turn on the "Resource Parameter Compatibility Profile" of the tenant, because MCP clients send the
 * identifier of the API as `resource`.
 *
 * @returns the options `issuers` and `tokens` of `oauth()`.
 * @throws DefinitionError when an option is wrong.
 * @example
 * ```ts
 * oauth({ resource: 'https://mcp.example.com/mcp', ...auth0({ domain: 'acme.eu.auth0.com' }) });
 * ```
 * @see https://auth0.com/docs/secure/tokens/access-tokens
 */
export function auth0({ domain, audience }: Auth0Options): Preset {
  requireHost('auth0', 'domain', domain);
  requireAudience('auth0', audience);
  const tokens = jwt({ algorithms: ['RS256'], ...(audience === undefined ? {} : { audience }) });
  return { issuers: [`https://${domain}/`], tokens: scopesAlsoIn(tokens, 'permissions') };
}

/** The application that represents the server in Microsoft Entra. */
export interface EntraOptions {
  /** The id of the tenant. Tokens from other tenants are refused. */
  readonly tenant: string;
  /** The id of the application that represents the server. */
  readonly clientId: string;
  /**
   * The Application ID URI of the application. Use the same URI as the `resource` of `oauth()`, because MCP clients
   * send the `resource` to Entra. If the two URIs differ, Entra refuses the token requests (error AADSTS9010010).
   * Tokens for this URI and tokens for the `clientId` are accepted.
   * @default `api://<clientId>`
   */
  readonly audience?: string;
}

/**
 * Accepts tokens of version 2 (`requestedAccessTokenVersion: 2`) from Microsoft Entra. Scopes are read from `scp` and
 * `roles`. Clients send the `resource`, and request scopes that begin with the Application ID URI. Therefore the
 * `resource` must be the Application ID URI.
 *
 * @returns the options `issuers` and `tokens` of `oauth()`.
 * @throws DefinitionError when an option is wrong.
 * @example
 * ```ts
 * oauth({
 *   resource: 'https://mcp.example.com/mcp',
 *   ...entra({ tenant: '8d1c…', clientId: '1f0e…', audience: 'https://mcp.example.com/mcp' }),
 *   scopes: { initial: ['mcp'], prefix: 'https://mcp.example.com/mcp/' },
 * });
 * ```
 * @see https://learn.microsoft.com/entra/identity-platform/access-token-claims-reference
 */
export function entra({ tenant, clientId, audience = `api://${clientId}` }: EntraOptions): Preset {
  requireGuid('tenant', tenant, 'the directory (tenant) id that tokens contain');
  requireGuid('clientId', clientId, 'the application (client) id');
  requireAudience('entra', audience);
  const tokens = jwt({ algorithms: ['RS256'], audience: [clientId, audience] });
  const accessTokens = changed(tokens, (claims) => {
    // ID tokens come from the same issuer, for the same application, with its roles.
    const isOfApplication =
      claims['idtyp'] === 'app' || (claims.sub !== undefined && claims.sub === claims['oid']);
    const isForClient = ['nonce', 'at_hash', 'c_hash'].some((name) => claims[name] !== undefined);
    if (isForClient || !(typeof claims['scp'] === 'string' || isOfApplication))
      throw new TokenError('The token is not an access token');
    return claims;
  });
  return {
    issuers: [`https://login.microsoftonline.com/${tenant}/v2.0`],
    tokens: scopesAlsoIn(accessTokens, 'roles'),
  };
}

function requireGuid(option: string, value: unknown, what: string): void {
  if (typeof value === 'string' && /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i.test(value)) return;
  refuse('entra', option, value, `use ${what}, such as 72f988bf-86f1-41af-91ab-2d7cd011db47`);
}

/** The location of a Keycloak realm. */
export interface KeycloakOptions {
  /** The address of Keycloak, such as `https://id.example.com`. */
  readonly url: string;
  readonly realm: string;
  /**
   * The audience that the audience mapper of the realm adds to tokens.
   * @default the `resource`
   */
  readonly audience?: string;
}

/**
 * Accepts tokens from Keycloak. The tokens must contain the audience of this server. For this purpose, create an
 * audience mapper in a client scope of Keycloak, and assign this client scope to the clients.
 *
 * @returns the options `issuers` and `tokens` of `oauth()`.
 * @throws DefinitionError when an option is wrong.
 * @example
 * ```ts
 * oauth({ resource: 'https://mcp.example.com/mcp', ...keycloak({ url: 'https://id.example.com', realm: 'shop' }) });
 * ```
 * @see https://www.keycloak.org/docs/latest/server_admin/#_audience
 */
export function keycloak({ url, realm, audience }: KeycloakOptions): Preset {
  if (!URL.canParse(url)) refuse('keycloak', 'url', url, 'set its address, such as https://id.example.com');
  requireHost('keycloak', 'realm', realm);
  requireAudience('keycloak', audience);
  const algorithms = ['RS256', 'PS256', 'ES256'];
  return {
    issuers: [`${url.replace(/\/$/, '')}/realms/${realm}`],
    tokens: jwt({ algorithms, ...(audience === undefined ? {} : { audience }) }),
  };
}

/** The authorization server at Okta. */
export interface OktaOptions {
  /** The domain of the Okta organization, such as `acme.okta.com`. */
  readonly domain: string;
  /**
   * The id of the authorization server at Okta.
   * @default 'default'
   */
  readonly authorizationServer?: string;
  /**
   * The audience in the settings of the authorization server.
   * @default 'api://default'
   */
  readonly audience?: string;
}

/**
 * Accepts tokens from a custom authorization server at Okta. Tokens from the organization's own authorization server
 * are not supported, because only Okta can check them.
 *
 * @returns the options `issuers` and `tokens` of `oauth()`.
 * @throws DefinitionError when an option is wrong.
 * @example
 * ```ts
 * oauth({ resource: 'https://mcp.example.com/mcp', ...okta({ domain: 'acme.okta.com' }) });
 * ```
 * @see https://developer.okta.com/docs/guides/validate-access-tokens/
 */
export function okta({
  domain,
  authorizationServer = 'default',
  audience = 'api://default',
}: OktaOptions): Preset {
  requireHost('okta', 'domain', domain);
  requireHost('okta', 'authorizationServer', authorizationServer);
  requireAudience('okta', audience);
  return {
    issuers: [`https://${domain}/oauth2/${authorizationServer}`],
    tokens: jwt({ algorithms: ['RS256'], audience }),
  };
}

/** The user pool of Amazon Cognito. */
export interface CognitoOptions {
  readonly region: string;
  readonly userPool: string;
  /**
   * The ids of the app clients whose tokens are accepted. An access token from Cognito contains the id of its app
   * client, and no audience.
   */
  readonly clients: readonly string[];
}

/**
 * Accepts tokens that Amazon Cognito issued to given app clients. The scopes of these tokens begin with the identifier
 * of the resource server in Cognito. Set this identifier and a slash as `scopes.prefix`, for example
 * `'https://mcp.example.com/'`.
 *
 * @returns the options `issuers` and `tokens` of `oauth()`.
 * @throws DefinitionError when an option is wrong.
 * @example
 * ```ts
 * oauth({
 *   resource: 'https://mcp.example.com/mcp',
 *   ...cognito({ region: 'eu-central-1', userPool: 'eu-central-1_Ab1', clients: ['4f2…'] }),
 * });
 * ```
 * @see https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html
 */
export function cognito({ region, userPool, clients }: CognitoOptions): Preset {
  requireHost('cognito', 'region', region);
  requireHost('cognito', 'userPool', userPool);
  requireClients('cognito', clients);
  const tokens = jwt({ algorithms: ['RS256'], audienceClaim: 'client_id', audience: clients });
  return {
    issuers: [`https://cognito-idp.${region}.amazonaws.com/${userPool}`],
    tokens: changed(tokens, (claims) => {
      // ID tokens come from the same issuer.
      if (claims['token_use'] !== 'access') throw new TokenError('The token is not an access token');
      return claims;
    }),
  };
}

/** The location of WorkOS AuthKit. */
export interface WorkosOptions {
  /** The domain of AuthKit, such as `acme.authkit.app`. */
  readonly domain: string;
}

/**
 * Accepts tokens from WorkOS AuthKit. Add the `resource` to the resource indicators in the WorkOS dashboard: otherwise
 * AuthKit issues no tokens for this server.
 *
 * @returns the options `issuers` and `tokens` of `oauth()`.
 * @throws DefinitionError when an option is wrong.
 * @example
 * ```ts
 * oauth({ resource: 'https://mcp.example.com/mcp', ...workos({ domain: 'acme.authkit.app' }) });
 * ```
 * @see https://workos.com/docs/authkit/mcp
 */
export function workos({ domain }: WorkosOptions): Preset {
  requireHost('workos', 'domain', domain);
  return { issuers: [`https://${domain}`], tokens: jwt({ algorithms: ['RS256'] }) };
}

/** The location of a Clerk instance. */
export interface ClerkOptions {
  /** The domain of the instance's Frontend API, such as `acme.clerk.accounts.dev`. */
  readonly domain: string;
}

/**
 * Accepts tokens from Clerk. In the Clerk dashboard, add the `resource` as an MCP server, and select JWT as the format
 * of access tokens.
 *
 * @returns the options `issuers` and `tokens` of `oauth()`.
 * @throws DefinitionError when an option is wrong.
 * @example
 * ```ts
 * oauth({ resource: 'https://mcp.example.com/mcp', ...clerk({ domain: 'acme.clerk.accounts.dev' }) });
 * ```
 * @see https://clerk.com/docs/references/nextjs/build-mcp-server
 */
export function clerk({ domain }: ClerkOptions): Preset {
  requireHost('clerk', 'domain', domain);
  // Session tokens come from the same issuer, and have another type.
  return { issuers: [`https://${domain}`], tokens: jwt({ algorithms: ['RS256'], typ: 'at+jwt' }) };
}

/** Which tokens from Google are accepted. */
export interface GoogleOptions {
  /** The ids of the OAuth clients whose tokens are accepted. */
  readonly clients: readonly string[];
}

const GOOGLE = 'https://accounts.google.com';
const TOKEN_INFO = 'https://oauth2.googleapis.com/tokeninfo';
const GOOGLE_TIMES = { good: 30_000, refused: 10_000 };

/**
 * Accepts tokens that Google issued to given OAuth clients. The tokens are opaque, so this server sends each token to
 * Google for a check, at most once in 30 seconds. You must register the clients at Google yourself.
 *
 * @returns the options `issuers` and `tokens` of `oauth()`.
 * @throws DefinitionError when an option is wrong.
 * @example
 * ```ts
 * oauth({
 *   resource: 'https://mcp.example.com/mcp',
 *   ...google({ clients: ['123.apps.googleusercontent.com'] }),
 *   scopes: { initial: ['openid', 'email'] },
 * });
 * ```
 * @see https://developers.google.com/identity/protocols/oauth2
 */
export function google({ clients }: GoogleOptions): Preset {
  requireClients('google', clients);
  const tokens: TokenCheck = {
    check: () => undefined,
    create: () => {
      const lookUps = new LookUps(GOOGLE_TIMES);
      return (token, client) => lookUps.find(token, client, () => tokenInfo(token, clients));
    },
  };
  return { issuers: [GOOGLE], tokens };
}

async function tokenInfo(token: string, clients: readonly string[]): Promise<TokenClaims> {
  const { status, body } = await askProvider(TOKEN_INFO, {
    form: new URLSearchParams({ access_token: token }),
  });
  if (status >= 400 && status < 500) throw new TokenError('The token is not valid');
  if (status !== 200 || !body) throw new ProviderError(`${TOKEN_INFO} answered ${status}`);
  if (!clients.includes(String(body['aud']))) throw notForUs(body['aud']);
  return { ...body, iss: GOOGLE, exp: Number(body['exp']) };
}

/** Adds the scopes in another claim to those that a check returns. */
function scopesAlsoIn(tokens: TokenCheck, claim: string): TokenCheck {
  return changed(tokens, (claims) => {
    const more = claims[claim];
    const listed = Array.isArray(more) ? more.filter((one) => typeof one === 'string') : [];
    return { ...claims, scp: undefined, scope: [...scopesIn(claims), ...listed].join(' ') };
  });
}

function changed(tokens: TokenCheck, change: (claims: TokenClaims) => TokenClaims): TokenCheck {
  return {
    check: (checks, issuers) => tokens.check(checks, issuers),
    create: (parts) => {
      const check = tokens.create(parts);
      return async (token, client) => change(await check(token, client));
    },
  };
}

/** Refuses a value that cannot be part of an issuer, such as the text `undefined` from an unset variable. */
function requireHost(of: string, option: string, value: unknown): void {
  if (typeof value === 'string' && /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(value) && value !== 'undefined')
    return;
  refuse(
    of,
    option,
    value,
    'write it without https:// and slashes; if it comes from a variable, check that the variable is set',
  );
}

function requireAudience(of: string, audience: unknown): void {
  if (audience === undefined || (typeof audience === 'string' && audience !== '')) return;
  refuse(
    of,
    'audience',
    audience,
    'leave it out, or use a string; if it comes from a variable, check that the variable is set',
  );
}

function requireClients(of: string, clients: unknown): void {
  const isId = (one: unknown): boolean => typeof one === 'string' && one !== '';
  if (Array.isArray(clients) && clients.length > 0 && clients.every(isId)) return;
  refuse(of, 'clients', clients, 'use a list of at least one client id');
}

function refuse(of: string, option: string, value: unknown, fix: string): never {
  const checks = new OptionChecks(of);
  checks.refuse(option, `it must not be ${JSON.stringify(value)}`, fix);
  checks.throwIfAny();
  throw new Error(`${of}: ${option}`);
}
