import type { Engine } from '../engine/engine.js';
import type { TaskOptions } from '../metadata/definitions.js';
import type { Entry, PromptEntry, TemplateEntry, ToolEntry } from '../registry/entry.js';
import type { Registry } from '../registry/registry.js';
import type { ContractFacts, ContractTool } from './contract.js';

/** Where the facts are. */
interface FactSources {
  readonly engine: Engine;
  readonly registry: Registry;
  readonly instructions: string | undefined;
}

/** Reads what a server promises off what is registered. */
export function contractFacts({ engine, registry, instructions }: FactSources): ContractFacts {
  return {
    server: engine.info,
    ...(instructions === undefined ? {} : { instructions }),
    capabilities: engine.capabilities,
    tools: [...registry.tools].map((entry) => toolFacts(entry, engine.isHiddenFromSessions(entry))),
    resources: [...registry.resources].map((entry) => ({ ...entry.descriptor, ...guarded(entry) })),
    resourceTemplates: [...registry.templates].map((entry) => ({
      ...entry.descriptor,
      ...completable(entry),
    })),
    prompts: [...registry.prompts].map((entry) => ({ ...entry.descriptor, ...completable(entry) })),
  };
}

function toolFacts(entry: ToolEntry, isHidden: boolean): ContractTool {
  const { task } = entry.definition;
  return {
    ...entry.descriptor,
    ...(task === undefined ? {} : { task: supportOf(task) }),
    ...(isHidden ? { hiddenFromSessions: true } : {}),
    ...guarded(entry),
  };
}

function supportOf(task: TaskOptions['support'] | TaskOptions): TaskOptions['support'] {
  return typeof task === 'string' ? task : task.support;
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
