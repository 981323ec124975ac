import type { ServerCapabilities } from '../protocol/protocol.js';
import type { Implementation, Prompt, Resource, ResourceTemplate, Tool } from '../protocol/descriptors.js';
import { byCodeUnits, canonicalJson, isObject, type JsonSchema, sortedMembers } from '../protocol/json.js';
import { type AppParts, type Inspectable, partsOf } from './app-parts.js';
import type { DefinitionHooks, Entry, PromptEntry, TemplateEntry, ToolEntry } from '../registry/entry.js';

/** The format of a manifest. It changes with the meaning of its members. */
export const MANIFEST_FORMAT = 'sigil-manifest/1';

/** The members of an entry in a manifest that lists do not show. */
interface Guarded {
  /** Whether guards decide who sees it. Absent in manifests from lists, which do not say. */
  readonly guarded?: boolean;
  /** The scopes of every use, beside those that depend on arguments. Absent if there are none. */
  readonly scopes?: readonly string[];
}

/** A tool in a manifest. */
export interface ManifestTool extends Tool, Guarded {
  /** Whether it may, or must, run as a task. Absent when it never does. */
  readonly task?: 'optional' | 'required';
  /** Present when clients with sessions (up to 2025-11-25) do not see it. */
  readonly hiddenFromSessions?: true;
}

/** A resource in a manifest. */
export interface ManifestResource extends Resource, Guarded {}

/** A resource template in a manifest. */
export interface ManifestTemplate extends ResourceTemplate, Guarded {
  /** The variables that values are suggested for. */
  readonly completes?: readonly string[];
}

/** A prompt in a manifest. */
export interface ManifestPrompt extends Prompt, Guarded {
  /** The schema of its arguments. Absent if there are none, and in manifests from lists, which do not have it. */
  readonly inputSchema?: JsonSchema;
  /** The arguments that values are suggested for. */
  readonly completes?: readonly string[];
}

/** The parts of a manifest, in any order. */
export interface ManifestParts {
  readonly server: Implementation;
  readonly instructions?: string;
  readonly capabilities: ServerCapabilities;
  readonly tools: readonly ManifestTool[];
  readonly resources: readonly ManifestResource[];
  readonly resourceTemplates: readonly ManifestTemplate[];
  readonly prompts: readonly ManifestPrompt[];
}

/** Everything a server promises to its clients. Its JSON is the same, to the letter, for servers that promise the same. */
export interface Manifest extends ManifestParts {
  readonly format: typeof MANIFEST_FORMAT;
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
  'scopes',
];

/**
 * Puts parts into the one order that manifests have: entries by name or URI, members as in the specification.
 *
 * @param parts the parts of a server's manifest, in any order.
 * @returns the manifest, whose JSON is the same for equal parts.
 * @example
 * ```ts
 * const manifest = arrangeManifest({
 *   server: { name: 'shop', version: '1.0.0' },
 *   capabilities: { tools: {} },
 *   tools: await client.listTools(),
 *   resources: [],
 *   resourceTemplates: [],
 *   prompts: [],
 * });
 * ```
 */
export function arrangeManifest(parts: ManifestParts): Manifest {
  const { server, instructions, capabilities, tools, resources, resourceTemplates, prompts } =
    // As JSON: without undefined members, and with nothing shared.
    JSON.parse(JSON.stringify(parts)) as ManifestParts;
  return {
    format: MANIFEST_FORMAT,
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
  if (key === 'completes' || key === 'scopes') return [...(value as string[])].sort(byCodeUnits);
  if (key !== 'arguments') return canonicalValue(value);
  return arrangeAll(value as { name: string }[], ({ name }) => name);
}

/** Keywords whose values are data, not schemas: in them, lists keep their order whatever their keys are called. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);
/** Keywords whose values are lists of strings without an order. */
const SETS: ReadonlySet<string> = new Set(['required', 'type']);
/** Keywords whose members are named by the author, and are not keywords. */
const BY_NAME: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);

/** A JSON value whose objects have their keys in alphabetical order. */
function canonicalValue(value: unknown): unknown {
  return JSON.parse(canonicalJson(value));
}

/** A JSON Schema as text should show it: keywords in alphabetical order, and names in lists without an order too. */
function canonicalSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(canonicalSchema);
  return mapSorted(schema, (keyword, value) => {
    if (DATA.has(keyword)) return canonicalValue(value);
    if (SETS.has(keyword) && isListOfStrings(value)) return [...value].sort(byCodeUnits);
    if (BY_NAME.has(keyword)) return mapSorted(value, (_, inner) => canonicalSchema(inner));
    return canonicalSchema(value);
  });
}

function mapSorted(value: unknown, map: (key: string, member: unknown) => unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(sortedMembers(value).map(([key, member]) => [key, map(key, member)]));
}

function isListOfStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/**
 * The definitions of a server for all its clients: guards hide nothing here. Two equal servers have the same manifest,
 * to the letter; `sigil manifest diff` finds breaking changes.
 *
 * @param app the result of `createApp()`. Standard output belongs to the program from here on.
 * @example
 * ```ts
 * import { writeFileSync } from 'node:fs';
 *
 * writeFileSync('manifest.json', JSON.stringify(manifestOf(app), undefined, 2));
 * ```
 */
export function manifestOf(app: Inspectable): Manifest {
  const parts = partsOf(app);
  parts.releaseStdout();
  return arrangeManifest(partsOfManifest(parts));
}

/** The parts of a server's manifest, from its registry. */
function partsOfManifest({ engine, registry, instructions, hooks }: AppParts): ManifestParts {
  return {
    server: engine.info,
    ...(instructions === undefined ? {} : { instructions }),
    capabilities: engine.capabilities,
    tools: [...registry.tools].map((entry) => toolParts(entry, engine.isHiddenFromSessions(entry), hooks)),
    resources: [...registry.resources].map((entry) => ({ ...entry.descriptor, ...guarded(entry) })),
    resourceTemplates: [...registry.templates].map((entry) => ({
      ...entry.descriptor,
      ...completable(entry),
    })),
    prompts: [...registry.prompts].map((entry) => ({
      ...entry.descriptor,
      ...(entry.descriptor.arguments ? { inputSchema: entry.inputSchema } : {}),
      ...completable(entry),
    })),
  };
}

function toolParts(entry: ToolEntry, isHidden: boolean, hooks: readonly DefinitionHooks[]): ManifestTool {
  const promised = hooks.map((hook) => hook.promise?.(entry.info));
  return {
    ...entry.descriptor,
    ...(Object.assign({}, ...promised) as object),
    ...(isHidden ? { hiddenFromSessions: true } : {}),
    ...guarded(entry),
  };
}

function completable(entry: TemplateEntry | PromptEntry): { completes?: string[] } & Guarded {
  const completes = Object.keys(entry.completers);
  return { ...(completes.length > 0 ? { completes } : {}), ...guarded(entry) };
}

function guarded({ guardCheck, scopes }: Entry): Guarded {
  return { guarded: guardCheck !== undefined, ...(scopes ? { scopes } : {}) };
}
