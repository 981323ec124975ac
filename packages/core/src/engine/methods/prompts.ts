import { isInputRequired } from '../../context/input-required.js';
import { invalidParams, type ProtocolError } from '../../errors/protocol-error.js';
import { after } from '../../protocol/maybe-promise.js';
import { METHODS } from '../../protocol/methods.js';
import type { EngineOptions } from '../engine-options.js';
import type { MethodHandler } from '../exchange.js';
import { List } from '../list.js';
import { nextRound } from '../next-round.js';
import { ifAllowed, type MethodTable, readArguments, readString, requireFeature } from './table.js';

/** `prompts/list` and `prompts/get`. */
export function promptMethods({ registry, pageSize, cacheHints }: EngineOptions): MethodTable {
  const { prompts } = registry;
  const list = new List({
    collection: prompts,
    key: 'prompts',
    pageSize,
    hint: cacheHints.of(METHODS.listPrompts),
    describe: (entry, revision) => revision.prompt(entry.descriptor),
  });

  const getPrompt: MethodHandler = (exchange, params) => {
    const name = readString(params, 'name');
    const entry = prompts.get(name);
    if (!entry) throw unknownPrompt(name);
    const args = readArguments(params);
    const get = () =>
      after(entry.run(exchange, args), (result) => {
        if (isInputRequired(result)) return nextRound(exchange, result, getPrompt, `The prompt ${name}`);
        exchange.resultMeta = result._meta;
        return exchange.revision.promptResult(result);
      });
    return ifAllowed(exchange, entry.gate, get, () => unknownPrompt(name));
  };

  return {
    [METHODS.listPrompts]: (exchange, params) => {
      requireFeature(exchange, prompts.everUsed);
      return list.page(exchange, params['cursor']);
    },
    [METHODS.getPrompt]: getPrompt,
  };
}

function unknownPrompt(name: string): ProtocolError {
  return invalidParams(`Unknown prompt: ${name}`);
}
