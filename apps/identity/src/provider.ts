import './url-parse.js';
import { generateKeyPairSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import Provider, { type Configuration, type JWK } from 'oidc-provider';

/** What the provider is made for. */
export interface ProviderOptions {
  /** Its own address, without a path. */
  readonly issuer: string;
  /** The scopes that clients may ask for. Those who send a user to log in and ask for none get the first one (RFC 6749, section 3.3). */
  readonly scopes: readonly string[];
  /** The server that tokens are for whose client names none, as clients of 2025-03-26 do. @default none: such tokens are for no server */
  readonly resource?: string | undefined;
  /** What lists them, for the warning about a scope that is not among them: `--scopes`. */
  readonly scopesAreIn: string;
  /** Whether access tokens carry a signature, or have to be looked up. @default 'jwt' */
  readonly format?: 'jwt' | 'opaque';
  /** How long access tokens live, in seconds. @default 300 */
  readonly tokenSeconds?: number;
  /** Programs that log in as themselves, and servers that look tokens up. */
  readonly clients?: Configuration['clients'];
  /** Whether proofs of possession need a nonce of the provider. @default false */
  readonly nonces?: boolean;
  /**
   * Whether the id of a client may be the https URL of a document that describes it, also on this machine (Client ID
   * Metadata Documents). Clients then do not register. @default false
   */
  readonly metadataDocuments?: boolean;
}

/** A key of the provider, by a name that tells it from others. */
function key(kid: string): JWK {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...(privateKey.export({ format: 'jwk' }) as JWK), kid, alg: 'RS256', use: 'sig' };
}

/**
 * Makes an authorization server where any name and password will do. Clients register by themselves, and ask for
 * tokens for one server (RFC 8707).
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
        ? 'scopes have spaces between them, and no commas'
        : `add it to ${options.scopesAreIn}`;
      console.error(
        `A client asks for the scope ${scope}, which this authorization server does not know and will not grant: ${fix}`,
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
