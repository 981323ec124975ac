import { METHODS } from '../../protocol/methods.js';
import type { EngineOptions } from '../engine-options.js';
import type { MethodResult } from '../response.js';
import type { Subscribers } from '../subscribers.js';
import { EMPTY, ifVisible, type MethodTable, readString } from './table.js';

/** `resources/subscribe` and `resources/unsubscribe`, for the session they are sent in. */
export function subscriptionMethods({ registry }: EngineOptions, subscribers: Subscribers): MethodTable {
  return {
    [METHODS.subscribe]: ({ call }, params) => {
      const uri = readString(params, 'uri');
      const notFound = () => call.revision.resourceNotFound(uri);
      const found = registry.resolveUri(uri);
      if (!found) throw notFound();
      const subscribe = (): MethodResult => {
        const { session } = call.link;
        if (session) subscribers.add(session, uri);
        return EMPTY;
      };
      return ifVisible(call, found.entry, subscribe, notFound);
    },
    [METHODS.unsubscribe]: ({ call }, params) => {
      const uri = readString(params, 'uri');
      const { session } = call.link;
      if (session) subscribers.remove(session, uri);
      return EMPTY;
    },
  };
}
