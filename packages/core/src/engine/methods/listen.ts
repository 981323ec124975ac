import { invalidParams } from '../../errors/protocol-error.js';
import { isObject } from '../../protocol/json.js';
import { METHODS } from '../../protocol/protocol.js';
import type { Capabilities } from '../capabilities.js';
import type { EngineOptions } from '../engine-options.js';
import type { EngineCall } from '../call.js';
import type { Exchange } from '../exchange.js';
import type { Extensions } from '../extensions.js';
import type { Listener, Listeners, SubscriptionFilter } from '../listeners.js';
import { maySubscribe, type Rechecks } from '../rechecks.js';
import type { Subscribers } from '../subscribers.js';
import type { MethodTable } from './table.js';

/** `subscriptions/listen`: one long request whose stream carries what changes. */
export function listenMethods(
  { registry }: EngineOptions,
  capabilities: Capabilities,
  listeners: Listeners,
  subscribers: Subscribers,
  extensions: Extensions,
  rechecks: Rechecks,
): MethodTable {
  /** The resources among those asked for that are there and that the caller may see. */
  async function visible(call: EngineCall, uris: unknown): Promise<readonly string[] | undefined> {
    if (uris === undefined) return undefined;
    if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string')) {
      throw invalidParams('"resourceSubscriptions" must be a list of URIs');
    }
    const wanted = new Set<string>(uris);
    subscribers.check(wanted.size, ...wanted);
    // Side by side: guards may take their time, each.
    const allowed = await Promise.all(
      [...wanted].map(async (uri) => {
        const found = registry.resolveUri(uri);
        return found !== undefined && (await maySubscribe(call, uri, found));
      }),
    );
    return [...wanted].filter((_uri, index) => allowed[index]);
  }

  /** What a subscription carries of what is asked for. */
  async function agreed(
    exchange: Exchange,
    asked: Readonly<Record<string, unknown>>,
  ): Promise<Pick<Listener, 'filter' | 'mayGoOn'>> {
    const { call } = exchange;
    const { tools, prompts, resources } = capabilities.of(call.revision);
    const wanted = await visible(call, asked['resourceSubscriptions']);
    const added = await extensions.listen(exchange, asked);
    const filter: SubscriptionFilter = {
      ...(asked['toolsListChanged'] === true && tools?.listChanged ? { toolsListChanged: true } : {}),
      ...(asked['promptsListChanged'] === true && prompts?.listChanged ? { promptsListChanged: true } : {}),
      ...(asked['resourcesListChanged'] === true && resources?.listChanged
        ? { resourcesListChanged: true }
        : {}),
      ...(wanted && resources?.subscribe ? { resourceSubscriptions: wanted } : {}),
      ...added.filter,
    };
    return { filter, mayGoOn: added.mayGoOn };
  }

  return {
    [METHODS.listen]: async (exchange, { notifications }) => {
      const { call } = exchange;
      if (!isObject(notifications)) throw invalidParams('"notifications" must be an object');
      // Taken before guards are asked, who may take their time.
      const release = listeners.reserve(call);
      try {
        const { filter, mayGoOn } = await agreed(exchange, notifications);
        rechecks.begin();
        return listeners.open({ call, filter, mayGoOn, release });
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}
