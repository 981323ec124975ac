import { METHODS } from '../../protocol/methods.js';
import type { EngineOptions } from '../engine-options.js';
import type { ResolvedUri } from '../../registry/registry.js';
import type { EngineCall } from '../call.js';
import type { Subscribers } from '../subscribers.js';
import { EMPTY, type MethodTable, readString } from './table.js';

/** Whether the guards of a resource let a caller hear of its changes. */
export async function maySubscribe(
  call: EngineCall,
  uri: string,
  { entry, variables }: ResolvedUri,
): Promise<boolean> {
  const { gate, permits } = entry;
  return ((await gate?.(call)) ?? true) && ((await permits?.(call, uri, variables)) ?? true);
}

/** `resources/subscribe` and `resources/unsubscribe`, for the session they are sent in. */
export function subscriptionMethods({ registry }: EngineOptions, subscribers: Subscribers): MethodTable {
  return {
    [METHODS.subscribe]: async ({ call }, params) => {
      const uri = readString(params, 'uri');
      const found = registry.resolveUri(uri);
      // What may not be read is not there.
      if (!found || !(await maySubscribe(call, uri, found))) throw call.revision.resourceNotFound(uri);
      const { session } = call.link;
      if (session) subscribers.add(session, uri);
      return EMPTY;
    },
    [METHODS.unsubscribe]: ({ call }, params) => {
      const uri = readString(params, 'uri');
      const { session } = call.link;
      if (session) subscribers.remove(session, uri);
      return EMPTY;
    },
  };
}
