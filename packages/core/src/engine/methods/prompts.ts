import { invalidParams } from '../../errors/errors.js';
import { isInputRequired } from '../../invoke/encode.js';
import { authorMeta, METHODS, repeated } from '../../protocol/protocol.js';
import { readArguments, readString } from '../admission.js';
import { type MethodHandler, ofCapability } from '../exchange.js';
import { listMethod } from './list.js';
import type { MethodParts, MethodTable } from './table.js';

/** Returns the methods `prompts/list` and `prompts/get`. */
export function promptMethods({ options }: MethodParts): MethodTable {
  const { registry, pageSize, cacheHints, timeoutMs } = options;
  const { prompts } = registry;
  const isOffered = (): boolean => prompts.everUsed;
  const list = listMethod({
    collection: prompts,
    key: 'prompts',
    pageSize,
    hint: cacheHints.of(METHODS.listPrompts),
    describe: (entry, revision) => revision.prompt(entry.descriptor),
  });

  const getPrompt: MethodHandler = (exchange, params) => {
    const { call } = exchange;
    const name = readString(params, 'name');
    const entry = prompts.get(name);
    const refuse = (): never => {
      call.refusedBy ??= 'name';
      throw invalidParams(`Unknown prompt: ${repeated(name)}`);
    };
    if (!entry) return refuse();
    return exchange.invoke(entry, readArguments(params), {
      refuse,
      answer: (result) => {
        if (isInputRequired(result)) return exchange.nextRound(result, getPrompt, `The prompt ${name}`);
        const messages = result.messages.map((message) => ({
          ...message,
          content: call.revision.content(message.content),
        }));
        return { result: { ...result, messages }, meta: authorMeta(result._meta) };
      },
      timeoutMs: entry.timeoutMs ?? timeoutMs,
    });
  };

  return {
    [METHODS.listPrompts]: ofCapability(isOffered, list),
    [METHODS.getPrompt]: ofCapability(isOffered, getPrompt),
  };
}
