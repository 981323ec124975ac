import { invalidParams } from '../../errors/errors.js';
import { isInputRequired } from '../../invoke/encode.js';
import { authorMeta, METHODS, repeated } from '../../protocol/protocol.js';
import { readArguments, readString } from '../admission.js';
import type { EngineCall } from '../engine-call.js';
import { type MethodHandler, ofCapability } from '../exchange.js';
import { forModel, type MethodResult } from '../response.js';
import { listMethod } from './list.js';
import type { MethodParts, MethodTable } from './table.js';

/** Returns the methods `tools/list` and `tools/call`. */
export function toolMethods({ options, extensions }: MethodParts): MethodTable {
  const { registry, pageSize, cacheHints, timeoutMs: appTimeoutMs } = options;
  const { tools } = registry;
  const isOffered = (): boolean => tools.everUsed;
  const list = listMethod({
    collection: tools,
    key: 'tools',
    pageSize,
    hint: cacheHints.of(METHODS.listTools),
    describe: (entry, revision) => revision.tool(entry.descriptor),
    shows: (entry, revision) => extensions.shows(revision, entry),
  });

  const callTool: MethodHandler = (exchange, params) => {
    const { call } = exchange;
    const name = readString(params, 'name');
    const entry = tools.get(name);
    const refuse = (): never => {
      call.refusedBy ??= 'name';
      throw invalidParams(`Unknown tool: ${repeated(name)}`);
    };
    if (!entry || !extensions.shows(call.revision, entry)) return refuse();
    return exchange.invoke(entry, readArguments(params), {
      refuse,
      enter: (run) => extensions.callTool(exchange, entry, run),
      answer: (result) => {
        if (isInputRequired(result)) return exchange.nextRound(result, callTool, `The tool ${name}`);
        return {
          result: call.revision.callResult(result, entry),
          meta: authorMeta(result._meta),
          isError: result.isError === true,
          instead: forModel,
        };
      },
      timeoutMs: entry.timeoutMs ?? appTimeoutMs,
      late,
    });
  };

  return {
    [METHODS.listTools]: ofCapability(isOffered, list),
    [METHODS.callTool]: ofCapability(isOffered, callTool),
  };
}

function late({ params }: EngineCall, timeoutMs: number): MethodResult {
  return forModel(`The tool ${String(params['name'])} did not finish within ${timeoutMs} ms`);
}
