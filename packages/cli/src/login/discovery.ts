import {
  type AuthorizationServer,
  customFetch,
  processDiscoveryResponse,
  processResourceDiscoveryResponse,
  protectedResourceRequest,
  type ResourceServer,
  WWWAuthenticateChallengeError,
} from 'oauth4webapi';
import { messageOf } from '@sigil/core/internal';
import { ServerError } from '../failures.js';
import { objectOf, parseJson } from '../json.js';
import { checkAddress, fetchFor } from './requests.js';

/** The challenge in a server's answer with 401 or 403. */
export interface Challenge {
  /** The URL of the protected resource metadata. */
  readonly resourceMetadata?: string;
  /** The scopes that the request needs. */
  readonly scopes: readonly string[];
  /** An error code, such as `insufficient_scope`. */
  readonly error?: string;
}

/**
 * Reads the `WWW-Authenticate` header of an answer with 401 or 403. Returns `undefined` if the answer does not ask for
 * a login.
 */
export async function challengeOf(response: Response): Promise<Challenge | undefined> {
  if (response.status !== 401 && response.status !== 403) return undefined;
  const { status, headers } = response;
  const answer = new Response(null, { status, headers });
  // The library only reads challenges from its own requests, so its request gets the existing answer at once.
  const found = await protectedResourceRequest(
    'none',
    'POST',
    new URL('https://localhost'),
    undefined,
    null,
    {
      [customFetch]: () => Promise.resolve(answer),
    },
  ).catch((error: unknown) => error);
  if (!(found instanceof WWWAuthenticateChallengeError)) return status === 401 ? { scopes: [] } : undefined;
  const bearer = found.cause.find(({ scheme }) => scheme === 'bearer');
  if (!bearer) return undefined;
  const { resource_metadata: resourceMetadata, scope = '', error } = bearer.parameters;
  if (status === 403 && error !== 'insufficient_scope') return undefined;
  return {
    ...(resourceMetadata !== undefined && { resourceMetadata }),
    ...(error !== undefined && { error }),
    scopes: scopesIn(scope),
  };
}

/**
 * Sends a request without a token to a server, and returns the challenge in the answer. Returns `undefined` if the
 * server requires no token.
 *
 * @throws ServerError if the answer does not come from an MCP server.
 */
export async function challengeBy(server: URL): Promise<Challenge | undefined> {
  const response = await fetchFor(server, server.href, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  });
  const challenge = await challengeOf(response.clone());
  if (challenge) return challenge;
  const { status, headers } = response;
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (isStream || 'jsonrpc' in objectOf(parseJson(await response.text()))) return undefined;
  const suggested = new URL('/mcp', server).href;
  const suffix = server.href === suggested ? '' : `, such as ${suggested}`;
  throw new ServerError(
    `${server.href} is not an MCP server: it answers with status ${status} and without a JSON-RPC message. Use the URL of the MCP endpoint${suffix}`,
  );
}

/** The OAuth resource and the authorization server of a login. */
export interface Discovered {
  /** The OAuth resource that the server's metadata names. The login requests access tokens for this resource. */
  readonly resource: string;
  /** The scopes that the server's protected resource metadata lists (`scopes_supported`). */
  readonly scopes: readonly string[];
  readonly authorizationServer: AuthorizationServer;
}

/**
 * Finds the authorization server of an MCP server (RFC 9728, then RFC 8414 or OpenID Connect Discovery).
 *
 * @throws ServerError when the server has no metadata, or metadata about another server.
 */
export async function discover(server: URL, challenge: Challenge | undefined): Promise<Discovered> {
  const {
    resource,
    authorization_servers: issuers = [],
    scopes_supported: scopes,
  } = await resourceOf(server, challenge);
  const [issuer] = issuers;
  if (issuer === undefined)
    throw new ServerError(
      `the metadata of ${server.href} names no authorization server: add the URL of one to "authorization_servers"`,
    );
  return { resource, scopes: scopes ?? [], authorizationServer: await authorizationServerOf(server, issuer) };
}

async function resourceOf(server: URL, challenge: Challenge | undefined): Promise<ResourceServer> {
  const wellKnown = '/.well-known/oauth-protected-resource';
  const path = server.pathname === '/' ? '' : server.pathname;
  const candidates = challenge?.resourceMetadata
    ? [challenge.resourceMetadata]
    : [`${server.origin}${wellKnown}${path}${server.search}`, `${server.origin}${wellKnown}`];
  const response = await firstFound(server, candidates);
  if (!response)
    throw new ServerError(
      `${server.href} does not name its authorization server: it has no metadata at ${candidates.join(' or ')}`,
    );
  const { resource } = objectOf(parseJson(await response.clone().text()));
  const about = typeof resource === 'string' && URL.canParse(resource) ? new URL(resource) : undefined;
  if (!about || !covers(about, server))
    throw new ServerError(
      `the metadata of ${server.href} is about another server, ${String(resource)}: correct "resource" in the metadata, or use the URL of that server`,
    );
  return processResourceDiscoveryResponse(about, response).catch((error: unknown) => {
    throw new ServerError(`the metadata of ${server.href} is wrong: ${messageOf(error)}`);
  });
}

/** Whether the resource of a login is the server, or a URL above it. */
function covers({ origin, pathname, search }: URL, server: URL): boolean {
  const folder = pathname.endsWith('/') ? pathname : `${pathname}/`;
  return (
    origin === server.origin &&
    (search === '' || search === server.search) &&
    `${server.pathname}/`.startsWith(folder)
  );
}

async function authorizationServerOf(server: URL, issuer: string): Promise<AuthorizationServer> {
  const { origin, pathname, href } = checkAddress(issuer, server, 'the authorization server');
  const path = pathname.replace(/\/$/, '');
  const candidates = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    ...(path === '' ? [] : [`${origin}${path}/.well-known/openid-configuration`]),
  ];
  const response = await firstFound(server, candidates);
  if (!response)
    throw new ServerError(`the authorization server ${issuer} has no metadata at ${candidates.join(' or ')}`);
  return processDiscoveryResponse(new URL(href), response).catch((error: unknown) => {
    throw new ServerError(`the metadata of the authorization server ${issuer} is wrong: ${messageOf(error)}`);
  });
}

async function firstFound(server: URL, candidates: readonly string[]): Promise<Response | undefined> {
  for (const candidate of candidates) {
    const response = await fetchFor(server, candidate, { headers: { accept: 'application/json' } });
    if (response.status === 200) return response;
    if (response.status >= 500)
      throw new ServerError(`${candidate} answers with HTTP ${response.status}: try again later`);
  }
  return undefined;
}

/** Reads an OAuth list of scopes, which are separated by spaces. */
export function scopesIn(text: string): string[] {
  return text.split(' ').filter((scope) => scope !== '');
}
