import { InsufficientScopeError, invalidParams } from '../../errors/errors.js';
import { isObject } from '../../protocol/json.js';
import { after } from '../../protocol/maybe-promise.js';
import { lacksScopes } from '../../protocol/principal.js';
import { METHODS } from '../../protocol/protocol.js';
import { readString } from '../admission.js';
import { type EngineCall, lasting } from '../engine-call.js';
import { type Exchange, ofCapability } from '../exchange.js';
import { withoutSubscription, withSubscription } from '../session-state.js';
import { LISTS } from '../subscriptions/changes.js';
import type { Listener, SubscriptionFilter } from '../subscriptions/subscriptions.js';
import { EMPTY, type MethodParts, type MethodTable } from './table.js';

/**
 * Returns these methods:
 *
 * - `resources/subscribe` and `resources/unsubscribe`, which change the session
 * - `subscriptions/listen`, which stays open and streams the changes
 */
export function subscriptionMethods(parts: MethodParts): MethodTable {
  const { options, subscribers, listeners, rechecks } = parts;
  const isOffered = (): boolean => options.registry.hasResources;
  return {
    [METHODS.subscribe]: ofCapability(isOffered, async ({ call }, params) => {
      const uri = readString(params, 'uri');
      const found = options.registry.resolveUri(uri);
      const needed = await found?.entry.hears(call, uri, found.variables);
      // A resource that may not be read does not exist for the caller.
      if (!needed) throw call.revision.resourceNotFound(uri);
      if (lacksScopes(call.principal, needed)) throw new InsufficientScopeError(needed);
      const { session } = call.connectionState;
      // The session may have ended while guards were asked.
      if (!session || call.isAborted) return EMPTY;
      const { connectionState, revision, client, id, method, transport } = call;
      // The request info is kept without the parameters, which may be large, and without the transport's connection.
      const requestInfo = lasting(call.requestInfo);
      const request = { connectionState, revision, client, id, method, params: {}, requestInfo, transport };
      const keep = (): void => subscribers.keep(session, uri, request);
      const isNew = session.subscriptions?.has(uri) !== true;
      // First in this process, so that a subscription without room is not stored anywhere.
      keep();
      rechecks.begin();
      if (!isNew) return EMPTY;
      try {
        // Repeated here, because the session may meanwhile have been replaced by a state without the subscription.
        await connectionState.change(
          (state) => withSubscription(state, uri),
          () => void (call.isAborted || keep()),
        );
      } catch (error) {
        subscribers.drop(session, uri);
        throw error;
      }
      return EMPTY;
    }),
    [METHODS.unsubscribe]: ofCapability(isOffered, ({ call }, params) => {
      const uri = readString(params, 'uri');
      const { session } = call.connectionState;
      if (!session) return EMPTY;
      const changed = call.connectionState.change(
        (state) => withoutSubscription(state, uri),
        () => void subscribers.drop(session, uri),
      );
      return after(changed, () => EMPTY);
    }),
    [METHODS.listen]: async (exchange, { notifications }) => {
      const { call } = exchange;
      if (!isObject(notifications)) throw invalidParams('"notifications" must be an object');
      // Reserved before guards run, because they may take long.
      const release = listeners.reserve(call);
      try {
        const { filter, mayGoOn } = await agreed(parts, exchange, notifications);
        rechecks.begin();
        return listeners.open({ call, filter, mayGoOn, release });
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}

/** Returns the part of the requested filter that the server agrees to. */
async function agreed(
  parts: MethodParts,
  exchange: Exchange,
  asked: Readonly<Record<string, unknown>>,
): Promise<Pick<Listener, 'filter' | 'mayGoOn'>> {
  const { call } = exchange;
  const offered = parts.capabilities.of(call.revision);
  const resourceSubscriptions = await visible(parts, call, asked['resourceSubscriptions']);
  const added = await parts.extensions.listen(exchange, asked);
  const lists = LISTS.filter((list) => asked[`${list}ListChanged`] === true && offered[list]?.listChanged);
  const filter: SubscriptionFilter = {
    ...Object.fromEntries(lists.map((list) => [`${list}ListChanged`, true])),
    ...(resourceSubscriptions && offered.resources?.subscribe ? { resourceSubscriptions } : {}),
    ...added.filter,
  };
  return { filter, mayGoOn: added.mayGoOn };
}

/** Returns the requested resources that exist, and that the caller may see. */
async function visible(
  { options, subscribers }: MethodParts,
  call: EngineCall,
  uris: unknown,
): Promise<readonly string[] | undefined> {
  if (uris === undefined) return undefined;
  if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string')) {
    throw invalidParams('"resourceSubscriptions" must be a list of URIs');
  }
  const wanted = new Set<string>(uris);
  subscribers.check(wanted.size, ...wanted);
  // Concurrently, because each guard may take long.
  const scopes = await Promise.all(
    [...wanted].map(async (uri) => {
      const found = options.registry.resolveUri(uri);
      return found?.entry.hears(call, uri, found.variables);
    }),
  );
  // One challenge names the scopes of all resources.
  const needed = [...new Set(scopes.flatMap((each) => each ?? []))];
  if (lacksScopes(call.principal, needed)) throw new InsufficientScopeError(needed);
  return [...wanted].filter((_uri, index) => scopes[index]);
}
