import { isInputRequired } from '../../context/input-required.js';
import { after } from '../../protocol/maybe-promise.js';
import { METHODS } from '../../protocol/methods.js';
import type { EngineOptions } from '../engine-options.js';
import type { MethodHandler } from '../exchange.js';
import { List } from '../list.js';
import { nextRound } from '../next-round.js';
import { ifAllowed, type MethodTable, readString, requireFeature } from './table.js';

/** `resources/list`, `resources/templates/list` and `resources/read`. */
export function resourceMethods({ registry, pageSize, listTtlMs }: EngineOptions): MethodTable {
  const { resources, templates } = registry;
  const hasResources = (): boolean => resources.everUsed || templates.everUsed;
  const resourceList = new List(
    resources,
    'resources',
    (revision, entry) => revision.resource(entry.descriptor),
    pageSize,
    listTtlMs,
  );
  const templateList = new List(
    templates,
    'resourceTemplates',
    (revision, entry) => revision.template(entry.descriptor),
    pageSize,
    listTtlMs,
  );

  const readResource: MethodHandler = (exchange, params) => {
    const uri = readString(params, 'uri');
    const { revision } = exchange;
    const found = registry.resolveUri(uri);
    if (!found) throw revision.resourceNotFound(uri);
    // What a handler reads may differ by who asks; only the author can know better.
    exchange.cache = { ttlMs: 0, scope: 'private' };
    const read = () =>
      after(found.entry.run(exchange, found.variables), (result) => {
        if (!result) throw revision.resourceNotFound(uri);
        if (isInputRequired(result)) return nextRound(exchange, result, readResource, `The resource ${uri}`);
        exchange.resultMeta = result._meta;
        return revision.readResult(result);
      });
    return ifAllowed(exchange, found.entry.gate, read, () => revision.resourceNotFound(uri));
  };

  return {
    [METHODS.listResources]: (exchange, params) => {
      requireFeature(exchange, hasResources());
      return resourceList.page(exchange, params['cursor']);
    },
    [METHODS.listTemplates]: (exchange, params) => {
      requireFeature(exchange, hasResources());
      return templateList.page(exchange, params['cursor']);
    },
    [METHODS.readResource]: readResource,
  };
}
