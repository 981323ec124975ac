import { isInputRequired } from '../../context/input-required.js';
import { invalidParams, type ProtocolError } from '../../errors/protocol-error.js';
import { after } from '../../protocol/maybe-promise.js';
import { METHODS } from '../../protocol/methods.js';
import { ClientProfiles, shapeTool } from '../client-profiles.js';
import type { EngineOptions } from '../engine-options.js';
import type { MethodHandler } from '../exchange.js';
import type { Extensions } from '../extensions.js';
import { List } from '../list.js';
import { nextRound } from '../next-round.js';
import { ifAllowed, type MethodTable, readArguments, readString, requireFeature } from './table.js';

/** `tools/list` and `tools/call`. */
export function toolMethods(
  { registry, pageSize, cacheHints, clientProfiles }: EngineOptions,
  extensions: Extensions,
): MethodTable {
  const { tools } = registry;
  const list = new List({
    collection: tools,
    key: 'tools',
    pageSize,
    hint: cacheHints.of(METHODS.listTools),
    describe: (entry, revision, profile) => shapeTool(revision.tool(entry.descriptor), profile),
    shows: (entry, revision) => extensions.shows(revision, entry),
    profiles: new ClientProfiles(clientProfiles),
  });

  const callTool: MethodHandler = (exchange, params) => {
    const name = readString(params, 'name');
    const entry = tools.get(name);
    if (!entry || !extensions.shows(exchange.revision, entry)) throw unknownTool(name);
    const args = readArguments(params);
    const run = () =>
      after(entry.run(exchange, args), (result) => {
        if (isInputRequired(result)) return nextRound(exchange, result, callTool, `The tool ${name}`);
        exchange.resultMeta = result._meta;
        return exchange.revision.callResult(result, entry.descriptor);
      });
    // What an extension has taken over goes on there when it is run again.
    const detour = exchange.isDetached ? undefined : extensions.detour(entry);
    const call = detour ? () => detour.serve(exchange, run) : run;
    return ifAllowed(exchange, entry.gate, call, () => unknownTool(name));
  };

  return {
    [METHODS.listTools]: (exchange, params) => {
      requireFeature(exchange, tools.everUsed);
      return list.page(exchange, params['cursor']);
    },
    [METHODS.callTool]: callTool,
  };
}

function unknownTool(name: string): ProtocolError {
  return invalidParams(`Unknown tool: ${name}`);
}
