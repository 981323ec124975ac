import { InsufficientScopeError, type NextFunction, type RequestContext } from '@sigil/core';
import type { Authorization } from '@sigil/http/authentication';
import { jwt, oauth, type OAuthOptions, type TokenClaims } from '@sigil/auth';

/** What the environment says of authorization, as far as it is plain. */
type Given = Partial<Pick<OAuthOptions, 'issuers' | 'anonymous' | 'dpop' | 'dpopNonce'>> & {
  readonly resource: string;
  /** Scopes of tokens that are known by their names. */
  readonly opaque?: Readonly<Record<string, string>>;
};

/**
 * Creates the authorization from the environment variable `AUTHORIZATION`, which contains options of `oauth()` as JSON.
 *
 * @returns the authorization; `undefined` if the variable is not set. Then everybody may call.
 */
export function chooseAuthorization({ AUTHORIZATION }: NodeJS.ProcessEnv): Authorization | undefined {
  if (AUTHORIZATION === undefined) return undefined;
  const { opaque, ...given } = JSON.parse(AUTHORIZATION) as Given;
  const { resource, issuers = ['http://127.0.0.1:9797'] } = given;
  const known = (token: string): TokenClaims | undefined => {
    const scope = opaque?.[token];
    return scope === undefined ? undefined : { sub: token, aud: resource, scope };
  };
  return oauth({ ...given, issuers, tokens: opaque ? known : jwt({ algorithms: ['RS256', 'ES256'] }) });
}

const PREFIX = 'mcp:conformance:';

/** What each request needs of those who have a token; without one, all is open here. */
const NEEDED: Readonly<Record<string, (name: string) => readonly string[]>> = {
  'tools/call': (name) => (name === 'test_simple_text' ? ['tools:call', `tools:${name}`] : []),
  'prompts/get': (name) => (name === 'test_simple_prompt' ? ['prompts:get', `prompts:${name}`] : []),
  'resources/read': (uri) => {
    if (uri === 'test://static-text') return ['resources:read', 'resources:static'];
    const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
    return id === undefined ? [] : ['resources:read', `resources:template:${id}`];
  },
};

/**
 * Middleware that refuses a request if its token lacks a scope that the request needs. Requests without a token are
 * accepted.
 */
export function scopesOfTokens(ctx: RequestContext, next: NextFunction): Promise<unknown> {
  const { principal, method, definition } = ctx;
  const name = 'uri' in ctx ? String(ctx.uri) : definition.name;
  const needed = (principal ? (NEEDED[method]?.(name) ?? []) : []).map((scope) => PREFIX + scope);
  if (!needed.every((scope) => principal?.scopes?.includes(scope))) throw new InsufficientScopeError(needed);
  return next();
}
