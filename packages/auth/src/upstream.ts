import type { Principal } from '@sigil/core/transport';
import { authenticateClient, type ClientCredentials } from './client-authentication.js';
import type { Issuer } from './issuer.js';
import { askProvider, ProviderError } from './provider.js';
import { sha256 } from './sha256.js';
import { SingleFlight } from './single-flight.js';
import { TokenCache } from './tokens.js';

/** How `upstreamToken` gets tokens for the services that handlers call. */
export interface UpstreamOptions extends ClientCredentials {
  /**
   * How the new token is requested. With `token-exchange`, the token represents the caller (RFC 8693). With
   * `client-credentials`, the token represents this server itself (RFC 6749, section 4.4).
   *
   * @default 'token-exchange'
   */
  readonly grant?: 'token-exchange' | 'client-credentials';
}

/** The service that a token is for, and the scopes of the token. */
export interface UpstreamTarget {
  /** The audience of the token: the name of the service at the authorization server. */
  readonly audience: string;
  /**
   * The scopes to request.
   * @default []: the authorization server decides which scopes it grants
   */
  readonly scopes?: readonly string[];
}

/** The token of a principal, and how to get other tokens with it. */
interface Caller {
  readonly token: string;
  readonly issuer: Issuer;
  readonly options: UpstreamOptions | undefined;
}

// Tokens are kept beside the principal, not on it: handlers can never see, log or forward them.
const CALLERS = new WeakMap<Principal, Caller>();
const TOKENS = new TokenCache<string>();
const ASKED = new SingleFlight<string>();

/** Stores the token of a principal in memory, where only `upstreamToken` can read it. */
export function rememberToken(principal: Principal, caller: Caller): void {
  CALLERS.set(principal, caller);
}

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
/** How long before its expiry a token is no longer used, in milliseconds. */
const MARGIN_MS = 10_000;

/**
 * Gets a token for a service that a handler calls. The handler must send this new token to the service, never the token
 * that its own caller has sent. New tokens are cached until they expire. Each combination of service and scopes has a
 * separate token. With token exchange, each caller also has separate tokens.
 *
 * @param context the context of the handler.
 * @param target the service, and the scopes that are needed for it.
 * @returns the access token.
 * @throws Error if the server has no `oauth({ upstream })`, if the authorization server refuses, or if the caller's
 *   token is unknown. The token is unknown in a task that another process continues.
 * @example
 * ```ts
 * const token = await upstreamToken(ctx, { audience: 'https://files.example.com', scopes: ['files.read'] });
 * const response = await fetch('https://files.example.com/list', { headers: { Authorization: `Bearer ${token}` } });
 * ```
 * @see https://www.rfc-editor.org/rfc/rfc8693
 */
export async function upstreamToken(
  { principal }: { readonly principal: Principal | undefined },
  { audience, scopes = [] }: UpstreamTarget,
): Promise<string> {
  const caller = principal && CALLERS.get(principal);
  if (!caller)
    throw new Error(
      'This call has no token to exchange: oauth() did not authorize the request, or the call is a task that continues in another process',
    );
  const { token, issuer, options } = caller;
  if (!options)
    throw new Error(
      'oauth() needs the option upstream to get tokens for other services: set upstream: { clientId, … }',
    );
  const own = options.grant === 'client-credentials' ? '' : sha256(token);
  const key = JSON.stringify([issuer.id, options.clientId, own, audience, scopes]);
  return TOKENS.get(key) ?? ASKED.run(key, () => askFor(caller, options, { audience, scopes }, key));
}

async function askFor(
  { token, issuer }: Caller,
  options: UpstreamOptions,
  { audience, scopes = [] }: UpstreamTarget,
  key: string,
): Promise<string> {
  const url = await issuer.endpoint('tokenEndpoint');
  const form = new URLSearchParams(
    options.grant === 'client-credentials'
      ? { grant_type: 'client_credentials' }
      : { grant_type: EXCHANGE, subject_token: token, subject_token_type: ACCESS_TOKEN },
  );
  form.set('audience', audience);
  // Some authorization servers know the service by this name (RFC 8707), which must be a URI.
  if (URL.canParse(audience)) form.set('resource', audience);
  if (scopes.length > 0) form.set('scope', scopes.join(' '));
  const headers = await authenticateClient(options, issuer.id, form);
  const { status, body } = await askProvider(url, { form, headers });
  const given = body?.['access_token'];
  if (status !== 200 || typeof given !== 'string') {
    const error = typeof body?.['error'] === 'string' ? body['error'].slice(0, 100) : `status ${status}`;
    const hint =
      error === 'unsupported_grant_type' && options.grant !== 'client-credentials'
        ? "; if the issuer does not support token exchange, use oauth({ upstream: { grant: 'client-credentials', … } })"
        : '';
    throw new ProviderError(`${issuer.id} does not issue a token for ${audience}: ${error}${hint}`);
  }
  const { expires_in: seconds } = body ?? {};
  const lifeMs = typeof seconds === 'number' ? seconds * 1000 - MARGIN_MS : 0;
  if (lifeMs > 0) TOKENS.set(key, given, Date.now() + lifeMs);
  return given;
}
