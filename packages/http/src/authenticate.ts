import { createHash, timingSafeEqual } from 'node:crypto';
import type { MaybePromise, Principal } from '@sigil/core/transport';

/** What is known of a request before its body is read. */
export interface RequestHead {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly method: string;
  /** Path and query. */
  readonly url: string;
}

/** Says who a request is made for; `undefined` refuses it. */
export type Authenticate = (request: RequestHead) => MaybePromise<Principal | undefined>;

/** What a token may look like (RFC 6750, section 2.1). */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;
const CREDENTIALS = /^Bearer +(\S+) *$/i;

/**
 * The token of `Authorization: Bearer …` (RFC 6750, section 2.1).
 *
 * @param headers those of a request, names in lower case.
 * @returns `undefined` when there is none, or something else than a token.
 */
export function bearerToken(headers: RequestHead['headers']): string | undefined {
  const { authorization } = headers;
  if (typeof authorization !== 'string') return undefined;
  const token = CREDENTIALS.exec(authorization)?.[1];
  return token !== undefined && TOKEN.test(token) ? token : undefined;
}

/**
 * Lets in whoever sends one of some tokens as `Authorization: Bearer …`. How long that takes does not depend on how much
 * of a token is right.
 *
 * @param tokens who each token stands for.
 * @throws RangeError when there are none, or when one cannot be sent as a bearer token. It does not repeat the token.
 */
export function tokenAuthenticator(
  tokens: Readonly<Record<string, Principal>>,
): (request: Pick<RequestHead, 'headers'>) => Principal | undefined {
  const known = Object.entries(tokens).map(([token, principal]) => {
    if (!TOKEN.test(token))
      throw new RangeError('a token must be letters, digits and -._~+/ only, and must not be empty');
    return { digest: digestOf(token), principal };
  });
  if (known.length === 0) throw new RangeError('tokenAuthenticator needs a token at least');
  return ({ headers }) => {
    const token = bearerToken(headers);
    if (token === undefined) return undefined;
    const digest = digestOf(token);
    const matching = known.filter((candidate) => timingSafeEqual(candidate.digest, digest));
    return matching[0]?.principal;
  };
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
