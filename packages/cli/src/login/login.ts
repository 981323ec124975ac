/*
 * A login at a protected server, as in the MCP authorization specification. `discovery.ts` finds the authorization
 * server, the library `oauth4webapi` talks to it, and `requests.ts` limits responses. The caller of `beginLogin` opens
 * the login page, and passes on the browser's redirect: the command uses `browser.ts`, the page of `sigil dev` a path
 * of its own. `kept-logins.ts` stores logins of the command for later runs.
 */

import {
  type AuthorizationServer,
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  type Client,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  dynamicClientRegistrationRequest,
  generateRandomCodeVerifier,
  generateRandomState,
  getValidatedIdTokenClaims,
  None,
  processAuthorizationCodeResponse,
  processDynamicClientRegistrationResponse,
  processRefreshTokenResponse,
  processRevocationResponse,
  refreshTokenGrantRequest,
  revocationRequest,
  type TokenEndpointResponse,
  validateAuthResponse,
} from 'oauth4webapi';
import { ServerError } from '../failures.js';
import { objectOf, parseJson } from '../json.js';
import { type Challenge, challengeBy, discover, type Discovered, scopesIn } from './discovery.js';
import { checkAddress, fetchOptions, loginError } from './requests.js';

/** A client that is already registered at the authorization server. */
export interface KnownClient {
  readonly id: string;
  readonly secret?: string;
}

/** The options of a login. */
export interface LoginOptions {
  readonly server: URL;
  /** The URL that the browser returns to. */
  readonly redirectUri: string;
  /** The scopes to request. @default the scopes in the challenge, or else all scopes in the server's metadata */
  readonly scopes?: readonly string[];
  /**
   * The registered client to use.
   * @default the login registers a client
   */
  readonly client?: KnownClient;
  /** The server's challenge. @default the login requests it from the server */
  readonly challenge?: Challenge;
}

/** A login that has begun, and that waits for the redirect of the browser. */
export interface BegunLogin {
  /** The page where the user logs in. */
  readonly authorizeUrl: string;
  /** The parameter `state` of the browser's redirect, which identifies the login. */
  readonly state: string;
  /** The scopes that are requested. */
  readonly scopes: readonly string[];
  /**
   * Finishes the login.
   *
   * @param parameters the parameters of the redirect: `code`, `state`, `iss`, or an error.
   * @throws ServerError if the user refused the login, or if the redirect belongs to another login.
   */
  finish(parameters: URLSearchParams): Promise<Login>;
}

/** The stored form of a login, as JSON. It contains secrets. */
export interface KeptLogin {
  /** The URL of the server. */
  readonly server: string;
  readonly resource: string;
  readonly authorizationServer: AuthorizationServer;
  readonly client: Client;
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly scopes: readonly string[];
  /** When the access token expires, in milliseconds since 1970. */
  readonly expiresAt?: number;
  readonly subject?: string;
}

/** A finished login, with its tokens. */
export interface Login {
  readonly accessToken: string;
  readonly scopes: readonly string[];
  /** When the access token expires, in milliseconds since 1970; absent if the authorization server does not send it. */
  readonly expiresAt?: number;
  /** The user, if the token names a user. */
  readonly subject?: string;
  /** The whole login, in the form to store. */
  readonly kept: KeptLogin;
  /**
   * Gets a new access token with the same scopes.
   *
   * @throws ServerError if there is no refresh token, or if the refresh token is refused.
   */
  refresh(): Promise<Login>;
  /** Revokes the tokens at the authorization server, if it supports that. */
  revoke(): Promise<void>;
}

/**
 * Begins a login: finds the authorization server, and registers a client there unless `client` is set.
 *
 * @throws ServerError if the server does not require a login, or if its authorization server cannot be found or refuses
 *   the client.
 */
export async function beginLogin(options: LoginOptions): Promise<BegunLogin> {
  const { server, redirectUri } = options;
  const challenge = options.challenge ?? (await challengeBy(server));
  if (!challenge) throw new ServerError(`${server.href} requires no login`);
  const discovered = await discover(server, challenge);
  const { authorizationServer, resource } = discovered;
  const { issuer, authorization_endpoint: page } = authorizationServer;
  if (page === undefined)
    throw new ServerError(
      `the metadata of ${issuer} has no "authorization_endpoint": users cannot log in there`,
    );
  if (authorizationServer.code_challenge_methods_supported?.includes('S256') !== true)
    throw new ServerError(
      `the metadata of ${issuer} does not list S256 in "code_challenge_methods_supported": the authorization server must support PKCE`,
    );
  try {
    const client = options.client
      ? clientOf(options.client)
      : await register(server, discovered, redirectUri);
    const wanted = options.scopes ?? (challenge.scopes.length > 0 ? challenge.scopes : discovered.scopes);
    // Without this scope, many authorization servers return no refresh token.
    const isOffline = authorizationServer.scopes_supported?.includes('offline_access') === true;
    const scopes = [...new Set([...wanted, ...(isOffline ? ['offline_access'] : [])])];
    const [verifier, state] = [generateRandomCodeVerifier(), generateRandomState()];
    const authorizeUrl = checkAddress(page, server, 'the page of the login');
    const parameters = {
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri: redirectUri,
      state,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      resource,
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      ...(isOffline && { prompt: 'consent' }),
    };
    for (const [name, value] of Object.entries(parameters)) authorizeUrl.searchParams.set(name, value);
    const finish = async (answer: URLSearchParams): Promise<Login> => {
      try {
        const valid = validateAuthResponse(authorizationServer, client, answer, state);
        const auth = authenticationOf(authorizationServer, client);
        const response = await authorizationCodeGrantRequest(
          authorizationServer,
          client,
          auth,
          valid,
          redirectUri,
          verifier,
          {
            ...fetchOptions(server),
            additionalParameters: { resource },
          },
        );
        const tokens = await processAuthorizationCodeResponse(authorizationServer, client, response);
        return loginOf(
          keptOf({ server: server.href, resource, authorizationServer, client, scopes: wanted }, tokens),
        );
      } catch (error) {
        throw loginError(error, issuer);
      }
    };
    return { authorizeUrl: authorizeUrl.href, state, scopes: wanted, finish };
  } catch (error) {
    throw loginError(error, issuer);
  }
}

/** Returns a login from its stored form. */
export function loginOf(kept: KeptLogin): Login {
  const { accessToken, refreshToken, scopes, expiresAt, subject, authorizationServer, client, resource } =
    kept;
  const server = new URL(kept.server);
  const auth = authenticationOf(authorizationServer, client);
  const request = fetchOptions(server);
  return {
    accessToken,
    scopes,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(subject !== undefined && { subject }),
    kept,
    async refresh() {
      if (refreshToken === undefined)
        throw new ServerError(`the login to ${kept.server} has expired: log in again`);
      try {
        const response = await refreshTokenGrantRequest(authorizationServer, client, auth, refreshToken, {
          ...request,
          additionalParameters: { resource },
        });
        return loginOf(
          keptOf(kept, await processRefreshTokenResponse(authorizationServer, client, response)),
        );
      } catch (error) {
        throw loginError(error, authorizationServer.issuer);
      }
    },
    async revoke() {
      if (authorizationServer.revocation_endpoint === undefined) return;
      try {
        for (const token of [refreshToken, accessToken])
          if (token !== undefined)
            await processRevocationResponse(
              await revocationRequest(authorizationServer, client, auth, token, request),
            );
      } catch (error) {
        throw loginError(error, authorizationServer.issuer);
      }
    },
  };
}

function keptOf(known: Omit<KeptLogin, 'accessToken'>, tokens: TokenEndpointResponse): KeptLogin {
  const {
    access_token: accessToken,
    refresh_token: refreshToken = known.refreshToken,
    expires_in: seconds,
  } = tokens;
  if (tokens.token_type !== 'bearer')
    throw new ServerError(
      `the authorization server returns a token of the type ${tokens.token_type}: the command only supports bearer tokens`,
    );
  // The token is not shown: it may be a secret even if it is invalid.
  if (!/^[!-~]+$/.test(accessToken))
    throw new ServerError(
      'the authorization server returns a token that is not valid in a header, because it contains spaces, control characters or characters outside ASCII',
    );
  const { expiresAt: _, ...rest } = known;
  const subject = getValidatedIdTokenClaims(tokens)?.sub ?? subjectOf(accessToken) ?? known.subject;
  return {
    ...rest,
    accessToken,
    ...(refreshToken !== undefined && { refreshToken }),
    // A response may omit the scopes if all were granted (RFC 6749, section 5.1).
    scopes: tokens.scope === undefined ? known.scopes : scopesIn(tokens.scope),
    ...(seconds !== undefined && { expiresAt: Date.now() + seconds * 1000 }),
    ...(subject !== undefined && { subject }),
  };
}

/** Returns the subject of a signed token, for display only, because this client cannot verify the token. */
function subjectOf(token: string): string | undefined {
  const [, payload = ''] = token.split('.');
  const { sub } = objectOf(parseJson(Buffer.from(payload, 'base64url').toString()));
  return typeof sub === 'string' ? sub : undefined;
}

function clientOf({ id, secret }: KnownClient): Client {
  return { client_id: id, ...(secret !== undefined && { client_secret: secret }) };
}

/** Registers this program as a public client, which cannot keep a secret (RFC 7591). */
async function register(
  server: URL,
  { authorizationServer }: Discovered,
  redirectUri: string,
): Promise<Client> {
  if (authorizationServer.registration_endpoint === undefined)
    throw new ServerError(
      `the authorization server ${authorizationServer.issuer} does not register clients: create a client there with the redirect URI ${redirectUri}, and pass its id with --client-id`,
    );
  const canRefresh = authorizationServer.grant_types_supported?.includes('refresh_token') !== false;
  const metadata = {
    client_name: 'sigil',
    redirect_uris: [redirectUri],
    application_type: 'native',
    grant_types: ['authorization_code', ...(canRefresh ? ['refresh_token'] : [])],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  const response = await dynamicClientRegistrationRequest(
    authorizationServer,
    metadata,
    fetchOptions(server),
  );
  const { client_id, client_secret, token_endpoint_auth_method } =
    await processDynamicClientRegistrationResponse(response);
  return {
    client_id,
    ...(client_secret !== undefined && { client_secret }),
    ...(token_endpoint_auth_method !== undefined && { token_endpoint_auth_method }),
  };
}

/** Returns how a client authenticates at the token endpoint. */
function authenticationOf(server: AuthorizationServer, client: Client): ClientAuth {
  const { client_secret: secret, token_endpoint_auth_method: method } = client;
  if (typeof secret !== 'string' || method === 'none') return None();
  // The default method if the server names none (RFC 8414, section 2).
  const takesBasic = server.token_endpoint_auth_methods_supported?.includes('client_secret_basic') !== false;
  return method === 'client_secret_post' || !takesBasic
    ? ClientSecretPost(secret)
    : ClientSecretBasic(secret);
}
