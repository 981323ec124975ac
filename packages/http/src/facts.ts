import type { RequestFacts } from '@sigil/core/transport';
import type { HttpExchange } from './http-exchange.js';

/** What is known of a request beside its message. */
export function factsOf(http: HttpExchange): RequestFacts {
  const { headers, principal } = http;
  return principal ? { headers, principal } : { headers };
}
