import { jwt, oauth } from '@sigil/auth';
import type { Principal } from '@sigil/core';
import type { HttpOptions } from '@sigil/http';

/** Who has started the server, and calls it over stdio: without a token, and with every scope that a tool needs. */
export const owner: Principal = { id: 'owner', scopes: ['account:read'] };

/**
 * Says who may call over HTTP: those who have a token of the authorization server that the variables `OAUTH_…` name. `.env.example`
 * explains them.
 *
 * @throws Error when a variable is missing or wrong.
 */
export function httpAuth(_host: string, env: NodeJS.ProcessEnv): Pick<HttpOptions, 'authorization'> {
  const { OAUTH_RESOURCE: resource, OAUTH_ISSUER: issuer, OAUTH_AUDIENCE: audience } = env;
  if (!resource || !issuer) {
    const missing = [...(resource ? [] : ['OAUTH_RESOURCE']), ...(issuer ? [] : ['OAUTH_ISSUER'])];
    throw new Error(
      `Set ${missing.join(' and ')}, or copy .env.example to .env: callers over HTTP need a token. Over stdio, with --stdio, they do not.`,
    );
  }
  try {
    return {
      authorization: oauth({
        resource,
        issuers: [issuer],
        tokens: jwt({
          algorithms: words(env['OAUTH_ALGORITHMS'] || 'RS256'),
          audience: audience || undefined,
        }),
        scopes: { initial: words(env['OAUTH_SCOPES']), prefix: env['OAUTH_SCOPE_PREFIX'] },
      }),
    };
  } catch (error) {
    const where = 'The options come from the variables OAUTH_…: .env.example explains them.';
    throw new Error(`${(error as Error).message}\n${where}`, { cause: error });
  }
}

function words(text = ''): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
