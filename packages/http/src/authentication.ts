import { ERROR_CODES, isPromise, type Logger, type Principal } from '@sigil/core/transport';
import { guarded, refuse } from './answers.js';
import { type Authenticate, bearerToken } from './authenticate.js';
import type { HttpExchange } from './http-exchange.js';

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
    if (principal === undefined) return refuseNobody(http);
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
