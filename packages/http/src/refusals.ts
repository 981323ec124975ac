import { ERROR_CODES } from '@sigil/core/transport';
import { refuse } from './answers.js';
import { accepts, isJson } from './content-negotiation.js';
import type { HttpExchange } from './http-exchange.js';
import type { OriginCheck } from './origin-check.js';

const { invalidRequest } = ERROR_CODES;

/**
 * Refuses whoever calls by a host or from a page that is not let in; pages that are let in may read the answer.
 *
 * @returns whether the request has been refused.
 */
export function refusesCaller(http: HttpExchange, origins: OriginCheck): boolean {
  const origin = http.header('origin');
  if (!origins.allowsHost(http.header('host'))) {
    refuse(http, 403, invalidRequest, 'This Host is not served here; see the option allowedHosts');
    return true;
  }
  if (!origins.allowsOrigin(origin)) {
    refuse(http, 403, invalidRequest, 'This Origin may not call; see the option allowedOrigins');
    return true;
  }
  http.corsOrigin = origin;
  return false;
}

/** Refuses a method that an endpoint does not have. @param allowed those it has, for the header `Allow`. */
export function refuseMethod(http: HttpExchange, allowed: string): void {
  refuse(http, 405, invalidRequest, `${http.method} is not allowed`, null, { Allow: allowed });
}

/** Refuses a body that is not JSON by its own account. @returns whether the request has been refused. */
export function refusesContentType(http: HttpExchange): boolean {
  if (isJson(http.header('content-type'))) return false;
  refuse(http, 415, invalidRequest, 'Content-Type must be application/json');
  return true;
}

/** Refuses to stream to a client that takes no events. @returns whether the request has been refused. */
export function refusesStream(http: HttpExchange): boolean {
  if (accepts(http.header('accept'), 'text/event-stream')) return false;
  refuse(http, 406, invalidRequest, 'Accept must allow text/event-stream');
  return true;
}
