import { isInputRequired } from '../../context/input-required.js';
import { after } from '../../protocol/maybe-promise.js';
import { METHODS } from '../../protocol/methods.js';
import { NOT_KEPT } from '../cache-hints.js';
import type { EngineOptions } from '../engine-options.js';
import type { MethodHandler } from '../exchange.js';
import { List } from '../list.js';
import { nextRound } from '../next-round.js';
import { ifAllowed, type MethodTable, readString, requireFeature } from './table.js';

/** `resources/list`, `resources/templates/list` and `resources/read`. */
export function resourceMethods({ registry, pageSize, cacheHints }: EngineOptions): MethodTable {
  const { resources, templates } = registry;
  const hasResources = (): boolean => resources.everUsed || templates.everUsed;
  const resourceList = new List({
    collection: resources,
    key: 'resources',
    pageSize,
    hint: cacheHints.of(METHODS.listResources),
    describe: (entry, revision) => revision.resource(entry.descriptor),
  });
  const templateList = new List({
    collection: templates,
    key: 'resourceTemplates',
    pageSize,
    hint: cacheHints.of(METHODS.listTemplates),
    describe: (entry, revision) => revision.template(entry.descriptor),
  });

  const readResource: MethodHandler = (exchange, params) => {
    const uri = readString(params, 'uri');
    const { revision } = exchange;
    const found = registry.resolveUri(uri);
    if (!found) throw revision.resourceNotFound(uri);
    const read = () =>
      after(found.entry.run(exchange, found.variables), (result) => {
        if (!result) throw revision.resourceNotFound(uri);
        if (isInputRequired(result)) return nextRound(exchange, result, readResource, `The resource ${uri}`);
        // It may depend on answers, which are no part of what a client finds kept results by.
        exchange.cache = exchange.isRetry ? NOT_KEPT : cacheHints.ofRead(found.entry, result);
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
