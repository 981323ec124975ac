import './url-parse.js';
import { generateKeyPairSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import Provider, { type Configuration, type JWK } from 'oidc-provider';

/** Options of `createProvider`. */
export interface ProviderOptions {
  /** The URL of the authorization server, without a path. */
  readonly issuer: string;
  /**
   * The scopes that clients can request. A client that requests no scope gets the first one (RFC 6749, section 3.3).
   */
  readonly scopes: readonly string[];
  /**
   * The URL of the MCP server that a token is issued for if the client sends no `resource`. Clients of revision
   * 2025-03-26 send none. @default undefined: the tokens of such clients are for no server
   */
  readonly resource?: string | undefined;
  /**
   * The flag or constant that lists the scopes, such as `--scopes`. The warning about an unknown scope contains the
   * name of this flag or constant.
   */
  readonly scopesAreIn: string;
  /**
   * The format of access tokens: `jwt` for signed tokens, `opaque` for tokens that servers check by introspection.
   * @default 'jwt'
   */
  readonly format?: 'jwt' | 'opaque';
  /** How long access tokens live, in seconds. @default 300 */
  readonly tokenSeconds?: number;
  /** Programs that get tokens for themselves (`client_credentials`), and servers that check tokens by introspection. */
  readonly clients?: Configuration['clients'];
  /** Whether proofs of possession (DPoP) need a nonce from the authorization server. @default false */
  readonly nonces?: boolean;
  /**
   * Whether a client id can be the https URL of a document that describes the client (Client ID Metadata Documents).
   * The URL can also be a URL of this machine. Clients with such an id do not register. @default false
   */
  readonly metadataDocuments?: boolean;
}

/** A key of the provider, by a name that tells it from others. */
function key(kid: string): JWK {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...(privateKey.export({ format: 'jwk' }) as JWK), kid, alg: 'RS256', use: 'sig' };
}

/**
 * Creates an authorization server that accepts any name and password. Clients register themselves. Each token is for
 * one server, which the client names in its request (RFC 8707).
 */
export function createProvider(options: ProviderOptions): Provider {
  const { issuer, scopes, format = 'jwt', tokenSeconds = 300, clients = [] } = options;
  const { nonces = false, metadataDocuments = false } = options;
  const provider = new Provider(issuer, {
    clients,
    jwks: { keys: [key(`key-${Date.now()}`)] },
    cookies: { keys: ['of one process, which keeps nothing'] },
    scopes: ['openid', 'offline_access', ...scopes],
    pkce: { required: () => true },
    ttl: {
      AccessToken: tokenSeconds,
      ClientCredentials: tokenSeconds,
      Grant: 3600,
      Session: 3600,
      Interaction: 600,
    },
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      clientIdMetadataDocument: { enabled: metadataDocuments, ack: 'draft-02' },
      clientCredentials: { enabled: true },
      introspection: { enabled: true },
      revocation: { enabled: true },
      dPoP: {
        enabled: true,
        ...(nonces ? { nonceSecret: Buffer.alloc(32, 7), requireNonce: () => true } : {}),
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => options.resource ?? [],
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, resource) => ({
          scope: scopes.join(' '),
          audience: resource,
          accessTokenTTL: tokenSeconds,
          accessTokenFormat: format,
          ...(format === 'jwt' ? { jwt: { sign: { alg: 'RS256' } } } : {}),
        }),
      },
    },
    ...(metadataDocuments ? { fetch: fetchAnywhere } : {}),
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  });
  const warned = new Set(['openid', 'offline_access', ...scopes]);
  provider.use(async (ctx, next) => {
    if (ctx.method === 'POST' && ctx.path === '/reg') await allowAllScopes(ctx.req);
    if (ctx.path === '/auth' && !ctx.query['scope']) ctx.query = { ...ctx.query, scope: scopes[0] };
    await next();
    for (const scope of scopesAskedFor(ctx)) {
      if (warned.has(scope)) continue;
      warned.add(scope);
      const fix = scope.includes(',')
        ? 'the client must separate scopes with spaces, not with commas'
        : `add it to ${options.scopesAreIn}`;
      console.error(
        `A client requests the scope ${scope}, but this authorization server does not know it, and does not grant it: ${fix}`,
      );
    }
  });
  return provider;
}

/** What a client asks for in this request. */
function scopesAskedFor(ctx: object): string[] {
  const { oidc } = ctx as { readonly oidc?: { readonly params?: { readonly scope?: unknown } } };
  const scope = oidc?.params?.scope;
  return typeof scope === 'string' ? scope.split(' ').filter((one) => one !== '') : [];
}

/** Fetches without the dispatcher of the provider, which refuses addresses of this machine: the documents of its clients are there. */
function fetchAnywhere(url: Parameters<typeof fetch>[0], init: RequestInit = {}): Promise<Response> {
  const { dispatcher: _, ...request } = init as RequestInit & { readonly dispatcher?: unknown };
  return fetch(url, request);
}

/** Clients register with the scopes that they need first, and would get no others later. */
async function allowAllScopes(request: IncomingMessage & { body?: unknown }): Promise<void> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  const { scope: _scope, ...metadata } = JSON.parse(text) as Record<string, unknown>;
  request.body = metadata;
}
