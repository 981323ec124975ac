import { invalidParams, type ProtocolError } from '../../errors/protocol-error.js';
import { after } from '../../protocol/maybe-promise.js';
import { METHODS } from '../../protocol/methods.js';
import type { EngineOptions } from '../engine-options.js';
import { List } from '../list.js';
import { ifAllowed, type MethodTable, readArguments, readString, requireFeature } from './table.js';

/** `tools/list` and `tools/call`. */
export function toolMethods({ registry, pageSize, cacheHints }: EngineOptions): MethodTable {
  const { tools } = registry;
  const list = new List(
    tools,
    'tools',
    (revision, entry) => revision.tool(entry.descriptor),
    pageSize,
    cacheHints.of(METHODS.listTools),
  );
  return {
    [METHODS.listTools]: (exchange, params) => {
      requireFeature(exchange, tools.everUsed);
      return list.page(exchange, params['cursor']);
    },
    [METHODS.callTool]: (exchange, params) => {
      const name = readString(params, 'name');
      const entry = tools.get(name);
      if (!entry) throw unknownTool(name);
      const args = readArguments(params);
      const call = () =>
        after(entry.run(exchange, args), (result) => {
          exchange.resultMeta = result._meta;
          return exchange.revision.callResult(result, entry.descriptor);
        });
      return ifAllowed(exchange, entry.gate, call, () => unknownTool(name));
    },
  };
}

function unknownTool(name: string): ProtocolError {
  return invalidParams(`Unknown tool: ${name}`);
}
