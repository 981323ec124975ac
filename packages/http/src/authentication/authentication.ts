import { ERROR_CODES, type MaybePromise } from '@sigil/core';
import { after, Deadlines, isObject, isPromise, messageOf, recovered } from '@sigil/core/internal';
import { type Endpoint, type Principal, requirePrincipal } from '@sigil/core/transport';
import { aboutRequest, failed, failSafely, refuse, refuseForNow, reportRefusal } from '../answers.js';
import type { Authenticate, Authorizer, Decision, Refusal, RequestHead } from './authorization.js';
import { bearerToken } from './bearer-tokens.js';
import type { HttpExchange } from '../http-exchange.js';

/** Times from `HttpOptions`, in milliseconds. */
interface AuthenticationTimes {
  readonly authenticateTimeoutMs: number;
  readonly reauthenticateMs: number;
}

/** Thrown if an author's function does not answer in time. */
class LateError extends Error {
  override readonly name = 'LateError';
}

/** Decides whether to serve a request. @param isOpen see `Authorizer.authorize`. */
type Decide = Authorizer['authorize'];

/** Converts an `authenticate` function to a function that returns a `Decision` for each request. */
export function decideBy(authenticate: Authenticate): Decide {
  return (request) =>
    recovered(
      () => after(authenticate(request), (found) => decided(found, request)),
      (thrown) => {
        throw isResponse(thrown) ? new TypeError(THREW_RESPONSE, { cause: thrown }) : thrown;
      },
    );
}

function decided(principal: Principal | undefined, request: RequestHead): Decision {
  if (principal === undefined) return { refusal: anonymous(request) };
  try {
    return { principal: requirePrincipal(principal) };
  } catch (error) {
    throw new TypeError(`authenticate must return a principal, or undefined: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

const THREW_RESPONSE =
  'authenticate threw a Response, which is not sent: return undefined to refuse the request with 401, or throw an Error if the caller cannot be checked';

/**
 * Whether a thrown value is a `Response`, as other frameworks expect. A log would show nothing useful about
 * it.
 */
function isResponse(thrown: unknown): boolean {
  return Object.prototype.toString.call(thrown) === '[object Response]';
}

/**
 * Refuses an invalid decision. For example, `{}` would serve every client.
 *
 * @throws TypeError if the decision has neither a principal nor a refusal.
 */
function requireDecision(decision: Decision): Decision {
  if (isObject(decision) && (decision.refusal || 'principal' in decision)) return decision;
  throw new TypeError(
    'authorize() must return { principal } or { refusal }; { principal: undefined } serves an anonymous caller',
  );
}

/**
 * Returns the refusal of a request without a valid token. Without any token, it contains no error code (RFC
 * 6750, section 3).
 */
function anonymous({ headers }: RequestHead): Refusal {
  const sent = bearerToken(headers) !== undefined;
  return {
    status: 401,
    message: sent ? 'The token is not valid' : 'Authentication is required',
    headers: { 'WWW-Authenticate': sent ? 'Bearer error="invalid_token"' : 'Bearer' },
  };
}

/**
 * Authenticates requests, and refuses those that fail authentication. While a stream is open, its request is
 * authenticated again at intervals.
 */
export class Authentication {
  readonly #times: Deadlines;
  readonly #rechecks: Deadlines;

  constructor(
    private readonly decide: Decide,
    times: AuthenticationTimes,
    private readonly endpoint: Pick<Endpoint, 'logger' | 'track' | 'refused'>,
  ) {
    this.#times = new Deadlines(times.authenticateTimeoutMs);
    this.#rechecks = new Deadlines(times.reauthenticateMs);
  }

  /**
   * Calls `serve` as soon as the principal of the request is known, or refuses the request. The body of the request is
   * not read before this decision.
   *
   * @throws the error that `authenticate` throws synchronously.
   */
  admit(http: HttpExchange, serve: () => void): void {
    const { logger } = this.endpoint;
    const found = this.#ask(http, false);
    if (!isPromise(found)) return this.#admitted(http, found, serve);
    found.then(
      (decision) => failSafely(http, logger, () => this.#admitted(http, decision, serve)),
      (error: unknown) => {
        if (!(error instanceof LateError)) return failed(http, logger, error);
        logger.error({ err: error, ...aboutRequest(http) }, 'a request could not be authenticated in time');
        return refuseForNow(http, 'Authentication takes too long');
      },
    );
  }

  /**
   * Authenticates the request of an open stream again at intervals. If the check throws an error or takes too long, the
   * stream stays open.
   *
   * @param refused a function that is called if the request is now refused, or if its principal has changed.
   * @param renewed a function that is called after each successful check. It receives the principal, whose scopes and
   *   claims can have changed.
   * @returns a function that stops the checks.
   */
  watch(http: HttpExchange, refused: () => void, renewed?: (principal: Principal) => void): () => void {
    let isOpen = true;
    const again = async (): Promise<void> => {
      try {
        const { refusal, principal } = requireDecision(await this.#ask(http, true));
        if (!isOpen) return;
        if (refusal?.status === 503) throw new Error(refusal.message);
        if (refusal || principal?.id !== http.principal?.id) {
          this.endpoint.logger.info(
            aboutRequest(http),
            'a stream has ended, because its request is no longer authenticated',
          );
          return refused();
        }
        // Guards get the current scopes and claims.
        http.principal = principal;
        if (principal) renewed?.(principal);
      } catch (error) {
        this.endpoint.logger.error(
          { err: error, ...aboutRequest(http) },
          'a stream could not be authenticated again',
        );
      }
      if (isOpen) deadline = this.#rechecks.add(ask);
    };
    const ask = (): void => void again();
    let deadline = this.#rechecks.add(ask);
    return () => {
      isOpen = false;
      this.#rechecks.delete(deadline);
    };
  }

  #ask(http: HttpExchange, isOpen: boolean): MaybePromise<Decision> {
    const head = new Head(http);
    const { logger, track } = this.endpoint;
    const found = track
      ? track({ logger, details: () => aboutRequest(http) }, () => this.decide(head, isOpen))
      : this.decide(head, isOpen);
    if (!isPromise(found)) return found;
    const { afterMs } = this.#times;
    return this.#times.within(found, () => new LateError(`authenticate took longer than ${afterMs} ms`));
  }

  #admitted(http: HttpExchange, decision: Decision, serve: () => void): void {
    const { refusal, principal } = requireDecision(decision);
    if (refusal) {
      const { status, message, headers, details } = refusal;
      const sent = { reason: message, ...details };
      reportRefusal(http, this.endpoint, { by: 'token', status, reason: message }, sent);
      return refuse(http, status, ERROR_CODES.invalidRequest, message, null, headers);
    }
    http.principal = principal;
    return serve();
  }
}

/** The part of a request that authorizers get. */
class Head implements RequestHead {
  readonly #http: HttpExchange;
  readonly headers: RequestHead['headers'];
  readonly method: string;
  readonly url: string;
  readonly source: unknown;

  constructor(http: HttpExchange) {
    this.#http = http;
    this.headers = http.headers;
    this.method = http.method;
    this.url = http.target;
    this.source = http.source;
  }

  /** The quota key. Computed at first use, because few requests need it. */
  get quotaKey(): string | undefined {
    return this.#http.quotaKey;
  }
}
