import { invalidParams, type ProtocolError } from '../../errors/protocol-error.js';
import { isObject } from '../../protocol/json.js';
import { METHODS } from '../../protocol/methods.js';
import type { Completer, PromptEntry, ResourceEntry, TemplateEntry } from '../../registry/entry.js';
import type { Registry } from '../../registry/registry.js';
import type { EngineOptions } from '../engine-options.js';
import type { Exchange } from '../exchange.js';
import { ifAllowed, type MethodTable, readString } from './table.js';

const NOTHING = JSON.stringify({ completion: { values: [], total: 0, hasMore: false } });

/** `completion/complete`. */
export function completionMethods({ registry }: EngineOptions): MethodTable {
  return {
    [METHODS.complete]: (exchange, params) => {
      const { ref, argument } = params;
      if (!isObject(argument)) throw invalidParams('"argument" must be an object with "name" and "value"');
      const name = readString(argument, 'name');
      const value = readString(argument, 'value');
      const entry = isObject(ref) ? referred(registry, ref) : undefined;
      if (!entry) throw unknownReference(ref);
      const completer = 'completers' in entry ? entry.completers.get(name) : undefined;
      const refuse = (): ProtocolError => unknownReference(ref);
      return ifAllowed(
        exchange,
        entry.gate,
        () => (completer ? complete(exchange, completer, value) : NOTHING),
        refuse,
      );
    },
  };
}

async function complete(exchange: Exchange, completer: Completer, value: string): Promise<string> {
  const allowed = (await completer.gate?.(exchange)) ?? true;
  return allowed ? JSON.stringify(await completer.run(exchange, { value })) : NOTHING;
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

function unknownReference(ref: unknown): ProtocolError {
  return invalidParams('"ref" names no prompt and no resource template of this server', { ref });
}
