import { METHODS } from '../../protocol/methods.js';
import type { EngineOptions } from '../engine-options.js';
import type { Subscribers } from '../subscribers.js';
import { ifAllowed, type MethodTable, readString } from './table.js';

/** `resources/subscribe` and `resources/unsubscribe`, for the session they are sent in. */
export function subscriptionMethods({ registry }: EngineOptions, subscribers: Subscribers): MethodTable {
  return {
    [METHODS.subscribe]: (exchange, params) => {
      const uri = readString(params, 'uri');
      const found = registry.resolveUri(uri);
      if (!found) throw exchange.revision.resourceNotFound(uri);
      const subscribe = (): string => {
        const { session } = exchange.link;
        if (session) subscribers.add(session, uri);
        return '{}';
      };
      return ifAllowed(exchange, found.entry.gate, subscribe, () => exchange.revision.resourceNotFound(uri));
    },
    [METHODS.unsubscribe]: (exchange, params) => {
      const uri = readString(params, 'uri');
      const { session } = exchange.link;
      if (session) subscribers.remove(session, uri);
      return '{}';
    },
  };
}
