import type { Contract, ContractPrompt, ContractResource, ContractTemplate, ContractTool } from '@sigil/core';
import { type Change, CHANGE_LEVELS } from './change.js';
import { INPUT_LEVELS } from './classify.js';
import { diffEntries } from './diff-entries.js';
import {
  diffGuarded,
  diffListed,
  diffMimeType,
  diffOthers,
  diffSchemas,
  diffWording,
  type Place,
} from './diff-members.js';
import { diffCapabilities } from './diff-capabilities.js';
import { diffTools } from './diff-tools.js';
import { promptSchema } from './prompt-schema.js';

/**
 * Tells what changed between two contracts and what each change does to clients. Inputs may widen and outputs may narrow;
 * the other way round breaks somebody.
 *
 * @returns the changes, the gravest first; none for a contract and itself.
 */
export function diffContracts(before: Contract, after: Contract): Change[] {
  const changes = [
    ...diffServer(before, after),
    ...diffCapabilities(before.capabilities, after.capabilities),
    ...diffEntries<ContractTool>('tool', before.tools, after.tools, ({ name }) => name, diffTools),
    ...diffEntries<ContractResource>(
      'resource',
      before.resources,
      after.resources,
      ({ uri }) => uri,
      diffResources,
    ),
    ...diffEntries<ContractTemplate>(
      'template',
      before.resourceTemplates,
      after.resourceTemplates,
      ({ uriTemplate }) => uriTemplate,
      diffTemplates,
    ),
    ...diffEntries<ContractPrompt>('prompt', before.prompts, after.prompts, ({ name }) => name, diffPrompts),
  ];
  return CHANGE_LEVELS.flatMap((level) => changes.filter((change) => change.level === level));
}

const SHARED = ['title', 'description', 'icons', '_meta'];
const RESOURCE_WORDS = [...SHARED, 'name', 'annotations', 'size'];
const RESOURCE_MEMBERS = [...RESOURCE_WORDS, 'uri', 'mimeType', 'completes', 'guarded'];
const PROMPT_MEMBERS = [...SHARED, 'name', 'arguments', 'completes', 'guarded'];

function diffServer(before: Contract, after: Contract): Change[] {
  const server = (level: Change['level'], path: string, what: string): Change => ({
    level,
    where: 'server',
    path,
    what,
  });
  return [
    ...diffWording(before.server, after.server, Object.keys({ ...before.server, ...after.server }), server),
    ...diffWording(before, after, ['instructions'], server),
  ];
}

function diffResources(before: ContractResource, after: ContractResource, place: Place): Change[] {
  return [
    ...diffWording(before, after, RESOURCE_WORDS, place),
    ...diffMimeType(before, after, place),
    ...diffGuarded(before, after, place),
    ...diffOthers(before, after, RESOURCE_MEMBERS, place),
  ];
}

function diffTemplates(before: ContractTemplate, after: ContractTemplate, place: Place): Change[] {
  return [
    ...diffResources(asResource(before), asResource(after), place),
    ...diffListed('completes', before, after, place),
  ];
}

function asResource({ uriTemplate, ...shared }: ContractTemplate): ContractResource {
  return { uri: uriTemplate, ...shared };
}

function diffPrompts(before: ContractPrompt, after: ContractPrompt, place: Place): Change[] {
  return [
    ...diffWording(before, after, SHARED, place),
    ...diffSchemas('arguments', promptSchema(before), promptSchema(after), INPUT_LEVELS, place),
    ...diffListed('completes', before, after, place),
    ...diffGuarded(before, after, place),
    ...diffOthers(before, after, PROMPT_MEMBERS, place),
  ];
}
