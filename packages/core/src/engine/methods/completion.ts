import { invalidParams, type ProtocolError } from '../../errors/errors.js';
import { isObject } from '../../protocol/json.js';
import { METHODS } from '../../protocol/protocol.js';
import type { PromptEntry, ResourceEntry, TemplateEntry } from '../../registry/entry.js';
import type { Registry } from '../../registry/registry.js';
import { readString } from '../admission.js';
import { ofCapability } from '../exchange.js';
import type { MethodResult } from '../response.js';
import type { MethodParts, MethodTable } from './table.js';

const NOTHING: MethodResult = Object.freeze({
  result: { completion: { values: [], total: 0, hasMore: false } },
});

/** Returns the method `completion/complete`. */
export function completionMethods({ options }: MethodParts): MethodTable {
  const { registry, timeoutMs } = options;
  return {
    [METHODS.complete]: ofCapability(
      () => registry.hasCompletions,
      async (exchange, params) => {
        const { call } = exchange;
        const { ref, argument } = params;
        if (!isObject(argument)) throw invalidParams('"argument" must be an object with "name" and "value"');
        const name = readString(argument, 'name');
        const value = readString(argument, 'value');
        const { arguments: known } = isObject(params['context']) ? params['context'] : {};
        const partial = { ...(isObject(known) ? known : {}), [name]: value };
        const entry = isObject(ref) ? referred(registry, ref) : undefined;
        if (!entry) throw unknownReference();
        call.where = entry.where;
        if (!((await entry.guardCheck?.(call)) ?? true)) throw unknownReference();
        if (entry.partialScopes) call.needs(await entry.partialScopes(partial));
        const completers = 'completers' in entry ? entry.completers : {};
        const run = Object.hasOwn(completers, name) ? completers[name] : undefined;
        if (!run) return NOTHING;
        return exchange.invoke({ where: entry.where, run }, partial, {
          refuse: () => NOTHING,
          answer: (result) => ({ result }),
          timeoutMs,
        });
      },
    ),
  };
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
  return invalidParams('"ref" must name a prompt or a resource template of this server');
}
