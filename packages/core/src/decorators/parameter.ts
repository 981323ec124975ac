import type { RequestContext } from '../context/request-context.js';
import { addParameter } from '../metadata/store.js';
import type { Principal as PrincipalOfRequest } from '../protocol/principal.js';

/**
 * Makes a decorator for parameters of handlers, whose value comes from the context of the call. The parameter never shows in a
 * schema.
 *
 * @param value gives the value; a promise is awaited before the handler runs. What it throws fails the call, as if the handler
 *   had thrown it.
 * @example
 * ```ts
 * const Tenant = createParameter((ctx) => String(ctx.headers['x-tenant'] ?? 'default'));
 *
 * @Tool()
 * listTickets(@Tenant() tenant: string) { … }
 * ```
 */
export function createParameter(value: (context: RequestContext) => unknown): () => ParameterDecorator {
  return () => (prototype, method, index) => {
    if (method === undefined)
      throw new TypeError('a decorator made by createParameter belongs on a parameter of a method');
    addParameter(prototype, method, { kind: 'custom', index, value });
  };
}

/** Who a request is made for. */
export type Principal = PrincipalOfRequest;

/** Gives a handler parameter the authenticated principal; `undefined` on an unauthenticated transport. */
export const Principal: () => ParameterDecorator = createParameter((context) => context.principal);
