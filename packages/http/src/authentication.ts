import { createHash, timingSafeEqual } from 'node:crypto';
import {
  ERROR_CODES,
  isPromise,
  type Logger,
  type MaybePromise,
  type Principal,
} from '@sigil/core/transport';
import { guarded } from './answers.js';
import type { HttpExchange } from './http-exchange.js';
import { logRefusal, refuse } from './refusals.js';

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
 * Lets in callers that send one of some tokens as `Authorization: Bearer …`. How long that takes does not depend on how much
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

/** Finds out who requests are made for, and refuses those that are made for nobody. */
export class Authentication {
  constructor(
    private readonly authenticate: Authenticate,
    private readonly logger: Logger,
  ) {}

  /**
   * Serves a request once its principal is known, or refuses it with 401. Nothing of its body is read before.
   *
   * @throws whatever the author's function throws at once.
   */
  admit(http: HttpExchange, serve: () => void): void {
    const { headers, method, target: url } = http;
    const found = this.authenticate({ headers, method, url });
    if (!isPromise(found)) return this.#admitted(http, found, serve);
    found.then(
      (principal) => guarded(http, this.logger, () => this.#admitted(http, principal, serve)),
      (error: unknown) =>
        guarded(http, this.logger, () => {
          throw error;
        }),
    );
  }

  #admitted(http: HttpExchange, principal: Principal | undefined, serve: () => void): void {
    if (principal === undefined) {
      logRefusal(http, this.logger, 401);
      return refuseNobody(http);
    }
    // Sessions and state belong to an id: who has none would share those of everybody without one.
    if (typeof principal?.id !== 'string' || principal.id === '')
      throw new TypeError('authenticate must give a principal with an id that is a string, or undefined');
    http.principal = principal;
    return serve();
  }
}

/** @returns `undefined` when nobody is asked who they are. */
export function authenticationOf(
  { authenticate }: { readonly authenticate: Authenticate | undefined },
  logger: Logger,
): Authentication | undefined {
  return authenticate && new Authentication(authenticate, logger);
}

/** RFC 6750, section 3: who sent no token is not told about an error. */
function refuseNobody(http: HttpExchange): void {
  const sent = bearerToken(http.headers) !== undefined;
  const challenge = sent ? 'Bearer error="invalid_token"' : 'Bearer';
  const message = sent ? 'The token is not valid' : 'Authentication is required';
  refuse(http, 401, ERROR_CODES.invalidRequest, message, null, { 'WWW-Authenticate': challenge });
}
