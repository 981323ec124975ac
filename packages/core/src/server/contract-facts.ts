import type { Engine } from '../engine/engine.js';
import type { DefinitionHooks } from '../registry/definition-hooks.js';
import type { Entry, PromptEntry, TemplateEntry, ToolEntry } from '../registry/entry.js';
import type { Registry } from '../registry/registry.js';
import type { ContractFacts, ContractTool } from './contract.js';

/** Where the facts are. */
interface FactSources {
  readonly engine: Engine;
  readonly registry: Registry;
  readonly instructions: string | undefined;
  readonly hooks: readonly DefinitionHooks[];
}

/** Reads what a server promises off what is registered. */
export function contractFacts({ engine, registry, instructions, hooks }: FactSources): ContractFacts {
  return {
    server: engine.info,
    ...(instructions === undefined ? {} : { instructions }),
    capabilities: engine.capabilities,
    tools: [...registry.tools].map((entry) => toolFacts(entry, engine.isHiddenFromSessions(entry), hooks)),
    resources: [...registry.resources].map((entry) => ({ ...entry.descriptor, ...guarded(entry) })),
    resourceTemplates: [...registry.templates].map((entry) => ({
      ...entry.descriptor,
      ...completable(entry),
    })),
    prompts: [...registry.prompts].map((entry) => ({ ...entry.descriptor, ...completable(entry) })),
  };
}

function toolFacts(entry: ToolEntry, isHidden: boolean, hooks: readonly DefinitionHooks[]): ContractTool {
  const promised = hooks.map((hook) => hook.promise?.(entry.info));
  return {
    ...entry.descriptor,
    ...(Object.assign({}, ...promised) as object),
    ...(isHidden ? { hiddenFromSessions: true } : {}),
    ...guarded(entry),
  };
}

function completable(entry: TemplateEntry | PromptEntry): { completes?: string[]; guarded: boolean } {
  return {
    ...(entry.completers.size > 0 ? { completes: [...entry.completers.keys()] } : {}),
    ...guarded(entry),
  };
}

function guarded(entry: Entry): { guarded: boolean } {
  return { guarded: entry.gate !== undefined };
}
