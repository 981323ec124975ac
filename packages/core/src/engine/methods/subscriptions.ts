import { METHODS } from '../../protocol/protocol.js';
import { lasting } from '../call.js';
import type { EngineOptions } from '../engine-options.js';
import { maySubscribe, type Rechecks } from '../rechecks.js';
import type { Subscribers } from '../subscribers.js';
import { EMPTY, type MethodTable, readString } from './table.js';

/** `resources/subscribe` and `resources/unsubscribe`, for the session they are sent in. */
export function subscriptionMethods(
  { registry }: EngineOptions,
  subscribers: Subscribers,
  rechecks: Rechecks,
): MethodTable {
  return {
    [METHODS.subscribe]: async ({ call }, params) => {
      const uri = readString(params, 'uri');
      const found = registry.resolveUri(uri);
      // What may not be read is not there.
      if (!found || !(await maySubscribe(call, uri, found))) throw call.revision.resourceNotFound(uri);
      const { session } = call.link;
      // The session may have ended while guards were asked.
      if (!session || call.isAborted) return EMPTY;
      const { link, revision, client, id, method } = call;
      // Without its parameters, which may be large, and without what a transport knows of its connection.
      const facts = lasting(call.facts);
      const request = { link, revision, client, id, method, params: {}, facts };
      subscribers.keep(session, uri, request);
      rechecks.begin();
      return EMPTY;
    },
    [METHODS.unsubscribe]: ({ call }, params) => {
      const uri = readString(params, 'uri');
      const { session } = call.link;
      if (session) subscribers.drop(session, uri);
      return EMPTY;
    },
  };
}
