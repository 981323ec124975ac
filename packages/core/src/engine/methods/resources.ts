import { isInputRequired } from '../../invoke/encode.js';
import { authorMeta, METHODS, repeated } from '../../protocol/protocol.js';
import { readString } from '../admission.js';
import { type MethodHandler, ofCapability } from '../exchange.js';
import { NOT_KEPT } from './cache-hints.js';
import { listMethod } from './list.js';
import { TemplateLists } from './template-lists.js';
import type { MethodParts, MethodTable } from './table.js';

/** Returns the methods `resources/list`, `resources/templates/list` and `resources/read`. */
export function resourceMethods({ options }: MethodParts): MethodTable {
  const { registry, pageSize, cacheHints, timeoutMs } = options;
  const { resources, templates } = registry;
  const isOffered = (): boolean => registry.hasResources;
  const resourceList = listMethod(
    {
      collection: resources,
      key: 'resources',
      pageSize,
      hint: cacheHints.of(METHODS.listResources),
      describe: (entry, revision) => revision.resource(entry.descriptor),
    },
    new TemplateLists(registry, timeoutMs),
  );
  const templateList = listMethod({
    collection: templates,
    key: 'resourceTemplates',
    pageSize,
    hint: cacheHints.of(METHODS.listTemplates),
    describe: (entry, revision) => revision.template(entry.descriptor),
  });

  const readResource: MethodHandler = (exchange, params) => {
    const { call } = exchange;
    const { revision } = call;
    const uri = readString(params, 'uri');
    const found = registry.resolveUri(uri);
    const refuse = (): never => {
      call.refusedBy ??= 'name';
      throw revision.resourceNotFound(uri);
    };
    if (!found) return refuse();
    const { entry, variables } = found;
    return exchange.invoke(entry, variables, {
      refuse,
      answer: (result) => {
        if (!result) return refuse();
        if (isInputRequired(result))
          return exchange.nextRound(result, readResource, `The resource ${repeated(uri)}`);
        // The result may depend on answers, which are not part of a client's cache key.
        const cache = exchange.isRetry ? NOT_KEPT : cacheHints.ofRead(entry, result);
        return { result: revision.readResult(result), cache, meta: authorMeta(result._meta) };
      },
      timeoutMs: entry.timeoutMs ?? timeoutMs,
    });
  };

  return {
    [METHODS.listResources]: ofCapability(isOffered, resourceList),
    [METHODS.listTemplates]: ofCapability(isOffered, templateList),
    [METHODS.readResource]: ofCapability(isOffered, readResource),
  };
}
