import { invalidParams, type ProtocolError } from '../../errors/protocol-error.js';
import { after } from '../../protocol/maybe-promise.js';
import { METHODS } from '../../protocol/methods.js';
import type { EngineOptions } from '../engine-options.js';
import { List } from '../list.js';
import { ifAllowed, type MethodTable, readArguments, readString, requireFeature } from './table.js';

/** `prompts/list` and `prompts/get`. */
export function promptMethods({ registry, pageSize, cacheHints }: EngineOptions): MethodTable {
  const { prompts } = registry;
  const list = new List(
    prompts,
    'prompts',
    (revision, entry) => revision.prompt(entry.descriptor),
    pageSize,
    cacheHints.of(METHODS.listPrompts),
  );
  return {
    [METHODS.listPrompts]: (exchange, params) => {
      requireFeature(exchange, prompts.everUsed);
      return list.page(exchange, params['cursor']);
    },
    [METHODS.getPrompt]: (exchange, params) => {
      const name = readString(params, 'name');
      const entry = prompts.get(name);
      if (!entry) throw unknownPrompt(name);
      const args = readArguments(params);
      const get = () =>
        after(entry.run(exchange, args), (result) => {
          exchange.resultMeta = result._meta;
          return exchange.revision.promptResult(result);
        });
      return ifAllowed(exchange, entry.gate, get, () => unknownPrompt(name));
    },
  };
}

function unknownPrompt(name: string): ProtocolError {
  return invalidParams(`Unknown prompt: ${name}`);
}
