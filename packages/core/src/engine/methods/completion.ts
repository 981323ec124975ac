import { invalidParams, type ProtocolError } from '../../errors/errors.js';
import { isObject } from '../../protocol/json.js';
import type { CompleteResult } from '../../protocol/results.js';
import type { MaybePromise } from '../../protocol/maybe-promise.js';
import { METHODS } from '../../protocol/protocol.js';
import type { Completer, PromptEntry, ResourceEntry, TemplateEntry } from '../../registry/entry.js';
import type { Registry } from '../../registry/registry.js';
import { readString } from '../admission.js';
import type { Exchange } from '../exchange.js';
import type { MethodResult } from '../response.js';
import type { MethodParts, MethodTable } from './table.js';

const NOTHING: MethodResult = Object.freeze({
  result: { completion: { values: [], total: 0, hasMore: false } },
});

/** `completion/complete`. */
export function completionMethods({ options }: MethodParts): MethodTable {
  const { registry, timeoutMs } = options;
  return {
    [METHODS.complete]: (exchange, params) => {
      const { ref, argument } = params;
      if (!isObject(argument)) throw invalidParams('"argument" must be an object with "name" and "value"');
      const name = readString(argument, 'name');
      const value = readString(argument, 'value');
      const { arguments: known } = isObject(params['context']) ? params['context'] : {};
      const partial = { ...(isObject(known) ? known : {}), [name]: value };
      const entry = isObject(ref) ? referred(registry, ref) : undefined;
      if (!entry) throw unknownReference();
      const completers = 'completers' in entry ? entry.completers : {};
      const completer = Object.hasOwn(completers, name) ? completers[name] : undefined;
      const complete = (): MaybePromise<MethodResult> =>
        completer ? completion(exchange, completer, value, partial) : NOTHING;
      return exchange.call.ifVisible(entry, partial, complete, unknownReference);
    },
  };

  async function completion(
    exchange: Exchange,
    completer: Completer,
    value: string,
    partial: Record<string, unknown>,
  ): Promise<MethodResult> {
    const { call } = exchange;
    const { guardCheck, neededScopes, run } = completer;
    if (!((await guardCheck?.(call)) ?? true)) return NOTHING;
    const complete = (): MaybePromise<CompleteResult> => exchange.limited(run(call, { value }), timeoutMs);
    return {
      result: await (neededScopes ? call.ifScoped(neededScopes(partial, true), complete) : complete()),
    };
  }
}

function referred(
  registry: Registry,
  ref: Record<string, unknown>,
): PromptEntry | TemplateEntry | ResourceEntry | undefined {
  if (ref['type'] === 'ref/prompt') return registry.prompts.get(String(ref['name']));
  if (ref['type'] !== 'ref/resource') return undefined;
  const uri = String(ref['uri']);
  return registry.templates.get(uri) ?? registry.resources.get(uri);
}

function unknownReference(): ProtocolError {
  return invalidParams('"ref" names no prompt and no resource template of this server');
}
