import type { ServerCapabilities } from '../protocol/protocol.js';
import type { Implementation, Prompt, Resource, ResourceTemplate, Tool } from '../protocol/descriptors.js';
import { byCodeUnits, canonicalSchema, canonicalValue } from './canonical.js';

/** Says how a contract is to be read. Another when its members mean something else. */
export const CONTRACT_FORMAT = 'sigil-contract/1';

/** What a contract says of an entry beside what a list shows. */
interface Guarded {
  /** Whether guards decide who sees it. Absent when only lists were looked at, which do not say. */
  readonly guarded?: boolean;
}

/** A tool in a contract. */
export interface ContractTool extends Tool, Guarded {
  /** Whether it may, or must, run as a task. Absent when it never does. */
  readonly task?: 'optional' | 'required';
  /** Present when clients with sessions (up to 2025-11-25) do not see it. */
  readonly hiddenFromSessions?: true;
}

/** A resource in a contract. */
export interface ContractResource extends Resource, Guarded {}

/** A resource template in a contract. */
export interface ContractTemplate extends ResourceTemplate, Guarded {
  /** The variables that values are suggested for. */
  readonly completes?: readonly string[];
}

/** A prompt in a contract. */
export interface ContractPrompt extends Prompt, Guarded {
  /** The arguments that values are suggested for. */
  readonly completes?: readonly string[];
}

/** What a contract is made of, in any order. */
export interface ContractFacts {
  readonly server: Implementation;
  readonly instructions?: string;
  readonly capabilities: ServerCapabilities;
  readonly tools: readonly ContractTool[];
  readonly resources: readonly ContractResource[];
  readonly resourceTemplates: readonly ContractTemplate[];
  readonly prompts: readonly ContractPrompt[];
}

/** Everything a server promises to its clients. Its JSON is the same, to the letter, for servers that promise the same. */
export interface Contract extends ContractFacts {
  readonly format: typeof CONTRACT_FORMAT;
}

const SERVER = ['name', 'version', 'title', 'description'];
const ENTRY = ['name', 'uri', 'uriTemplate', 'title', 'description', 'mimeType', 'annotations'];
const AFTER = [
  'arguments',
  'inputSchema',
  'outputSchema',
  'completes',
  'task',
  'hiddenFromSessions',
  'guarded',
];

/** Puts facts into the one order that contracts have: entries by name or URI, members as in the specification. */
export function arrangeContract(facts: ContractFacts): Contract {
  const { server, instructions, capabilities, tools, resources, resourceTemplates, prompts } = plain(facts);
  return {
    format: CONTRACT_FORMAT,
    server: arrange(server, SERVER),
    ...(instructions === undefined ? {} : { instructions }),
    capabilities: canonicalValue(capabilities) as ServerCapabilities,
    tools: arrangeAll(tools, ({ name }) => name),
    resources: arrangeAll(resources, ({ uri }) => uri),
    resourceTemplates: arrangeAll(resourceTemplates, ({ uriTemplate }) => uriTemplate),
    prompts: arrangeAll(prompts, ({ name }) => name),
  };
}

function arrangeAll<E extends object>(entries: readonly E[], key: (entry: E) => string): E[] {
  const sorted = [...entries].sort((a, b) => byCodeUnits(key(a), key(b)));
  return sorted.map((entry) => arrange(entry, [...ENTRY, ...AFTER]));
}

/** Known members first, in their order; then all others in alphabetical order. */
function arrange<E extends object>(entry: E, order: readonly string[]): E {
  const members = new Map(Object.entries(entry));
  const others = [...members.keys()].filter((key) => !order.includes(key)).sort(byCodeUnits);
  const keys = [...order.filter((key) => members.has(key)), ...others];
  return Object.fromEntries(keys.map((key) => [key, arrangeMember(key, members.get(key))])) as E;
}

function arrangeMember(key: string, value: unknown): unknown {
  if (key === 'inputSchema' || key === 'outputSchema') return canonicalSchema(value);
  if (key === 'completes') return [...(value as string[])].sort(byCodeUnits);
  if (key !== 'arguments') return canonicalValue(value);
  return arrangeAll(value as { name: string }[], ({ name }) => name);
}

/** The facts as JSON carries them: without what is undefined, and with nothing shared. */
function plain(facts: ContractFacts): ContractFacts {
  return JSON.parse(JSON.stringify(facts)) as ContractFacts;
}
