import { jwt, oauth } from '@sigil/auth';
import type { Principal } from '@sigil/core';
import type { HttpOptions } from '@sigil/http';
import { SCOPES } from './scopes.js';

/** The principal over stdio: the user who started the server. This user needs no token and has all scopes. */
export const owner: Principal = { id: 'owner', scopes: SCOPES };

/** The variables that this file reads. Add each new variable here, because other names with `OAUTH_` are refused. */
const VARIABLES = [
  'OAUTH_RESOURCE',
  'OAUTH_ISSUER',
  'OAUTH_SCOPES',
  'OAUTH_AUDIENCE',
  'OAUTH_ALGORITHMS',
  'OAUTH_SCOPE_PREFIX',
];

/**
 * Returns the options for authentication over HTTP, with tokens of the authorization server. `.env.example` explains the
 * variables `OAUTH_…`.
 *
 * @throws Error if a variable is missing, wrong or misspelt.
 */
export function httpAuth(_host: string, env: NodeJS.ProcessEnv): Pick<HttpOptions, 'authorization'> {
  refuseUnknown(env);
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
          algorithms: words('OAUTH_ALGORITHMS', env) ?? ['RS256'],
          audience: audience || undefined,
        }),
        scopes: { initial: words('OAUTH_SCOPES', env), prefix: env['OAUTH_SCOPE_PREFIX'] },
      }),
    };
  } catch (error) {
    const where = 'The options come from the variables OAUTH_…: .env.example explains them.';
    throw new Error(`${(error as Error).message}\n${where}`, { cause: error });
  }
}

/** The words of a variable, separated by spaces; `undefined` if it is not set. */
function words(variable: string, env: NodeJS.ProcessEnv): string[] | undefined {
  const text = env[variable]?.trim();
  if (!text) return undefined;
  const listed = text.split(/[\s,]+/).filter((word) => word !== '');
  if (text.includes(','))
    throw new Error(`${variable}=${text} has a comma; write spaces: ${variable}=${listed.join(' ')}`);
  return listed;
}

/** Refuses misspelt variables, which would have no effect. */
function refuseUnknown(env: NodeJS.ProcessEnv): void {
  const unknown = Object.keys(env).filter((name) => name.startsWith('OAUTH_') && !VARIABLES.includes(name));
  if (unknown.length === 0) return;
  const problems = unknown.map((name) => `There is no variable ${name}: did you mean ${nearest(name)}?`);
  const fix =
    'Remove variables that are not for this server. .env.example explains its variables; VARIABLES in src/auth.ts lists them.';
  throw new Error([...problems, fix].join('\n'));
}

/** Returns the known variable whose beginning is most similar to a name. */
function nearest(name: string): string {
  const shared = (other: string): number => {
    let length = 0;
    while (length < name.length && name[length] === other[length]) length += 1;
    return length;
  };
  return VARIABLES.reduce((best, one) => (shared(one) > shared(best) ? one : best));
}
