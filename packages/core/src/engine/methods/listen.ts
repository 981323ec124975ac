import { ERROR_CODES } from '../../errors/codes.js';
import { maySubscribe } from './subscriptions.js';
import { invalidParams, ProtocolError } from '../../errors/protocol-error.js';
import { isObject } from '../../protocol/json.js';
import { METHODS } from '../../protocol/methods.js';
import type { Capabilities } from '../capabilities.js';
import type { EngineOptions } from '../engine-options.js';
import type { EngineCall } from '../call.js';
import type { Extensions } from '../extensions.js';
import type { Listeners, SubscriptionFilter } from '../listeners.js';
import type { Subscribers } from '../subscribers.js';
import type { MethodTable } from './table.js';

/** `subscriptions/listen`: one long request whose stream carries what changes. */
export function listenMethods(
  { registry, limits: { maxSubscriptions } }: EngineOptions,
  capabilities: Capabilities,
  listeners: Listeners,
  subscribers: Subscribers,
  extensions: Extensions,
): MethodTable {
  /** The resources among those asked for that are there and that the caller may see. */
  async function visible(call: EngineCall, uris: unknown): Promise<readonly string[] | undefined> {
    if (uris === undefined) return undefined;
    if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string')) {
      throw invalidParams('"resourceSubscriptions" must be a list of URIs');
    }
    const wanted = new Set<string>(uris);
    subscribers.check(wanted.size, ...wanted);
    const kept: string[] = [];
    for (const uri of wanted) {
      const found = registry.resolveUri(uri);
      if (found && (await maySubscribe(call, uri, found))) kept.push(uri);
    }
    return kept;
  }

  return {
    [METHODS.listen]: async (exchange, { notifications }) => {
      const { call } = exchange;
      if (!isObject(notifications)) throw invalidParams('"notifications" must be an object');
      if (listeners.size >= maxSubscriptions) {
        throw new ProtocolError(
          ERROR_CODES.internalError,
          `More than ${maxSubscriptions} subscriptions are open`,
        );
      }
      const { tools, prompts, resources } = capabilities.of(call.revision);
      const wanted = await visible(call, notifications['resourceSubscriptions']);
      const filter: SubscriptionFilter = {
        ...(notifications['toolsListChanged'] === true && tools?.listChanged
          ? { toolsListChanged: true }
          : {}),
        ...(notifications['promptsListChanged'] === true && prompts?.listChanged
          ? { promptsListChanged: true }
          : {}),
        ...(notifications['resourcesListChanged'] === true && resources?.listChanged
          ? { resourcesListChanged: true }
          : {}),
        ...(wanted && resources?.subscribe ? { resourceSubscriptions: wanted } : {}),
        ...(await extensions.listen(exchange, notifications)),
      };
      return listeners.open(call, filter);
    },
  };
}
