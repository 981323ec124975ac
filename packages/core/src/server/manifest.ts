import type { ServerCapabilities } from '../protocol/protocol.js';
import type { Implementation, Prompt, Resource, ResourceTemplate, Tool } from '../protocol/descriptors.js';
import { byCodeUnits, canonicalJson, isObject, type JsonSchema, sortedMembers } from '../protocol/json.js';
import { type AppParts, type Inspectable, partsOf } from './app-parts.js';
import type { DefinitionHooks, Entry, PromptEntry, TemplateEntry, ToolEntry } from '../registry/entry.js';

/**
 * The name and version of the manifest format. The version changes when the meaning of a member of the manifest
 * changes.
 */
export const MANIFEST_FORMAT = 'sigil-manifest/1';

/** The members of a manifest entry that lists do not show. */
interface Guarded {
  /**
   * Whether guards decide who sees the entry. Absent in manifests that are created from a server's lists, because lists
   * do not contain this fact.
   */
  readonly guarded?: boolean;
  /** The scopes that every use requires, apart from scopes that depend on arguments. Absent if there are none. */
  readonly scopes?: readonly string[];
}

/** A tool in a manifest. */
export interface ManifestTool extends Tool, Guarded {
  /**
   * Whether the tool can run as a task (`optional`) or must run as a task (`required`). Absent if the tool never
   * runs as a task.
   */
  readonly task?: 'optional' | 'required';
  /** Present if the tool is hidden from clients with sessions (revision 2025-11-25 or earlier). */
  readonly hiddenFromSessions?: true;
}

/** A resource in a manifest. */
export interface ManifestResource extends Resource, Guarded {}

/** A resource template in a manifest. */
export interface ManifestTemplate extends ResourceTemplate, Guarded {
  /** The names of the template's variables that have completions. */
  readonly completes?: readonly string[];
}

/** A prompt in a manifest. */
export interface ManifestPrompt extends Prompt, Guarded {
  /**
   * The JSON Schema of the prompt's arguments; absent if the prompt has none. Manifests that are created from a
   * server's answers to list requests lack this schema, because these answers do not contain it.
   */
  readonly inputSchema?: JsonSchema;
  /** The names of the prompt's arguments that have completions. */
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

/**
 * Describes everything that a server offers to its clients. Servers that offer the same have manifests with
 * identical JSON.
 */
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
 * Creates a manifest from its parts. Sorts the entries by name or URI, and arranges their members in the order of
 * the specification.
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

/** Sorts members: known members first, in the given order, then the others alphabetically. */
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

/** Keywords whose values are data, not schemas. Lists inside them keep their order, whatever the names of the keys. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);
/** Keywords whose values are lists of strings without an order. */
const SETS: ReadonlySet<string> = new Set(['required', 'type']);
/** Keywords whose members have names chosen by the author; these names are not keywords. */
const BY_NAME: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);

/** Returns a JSON value with the keys of all objects in alphabetical order. */
function canonicalValue(value: unknown): unknown {
  return JSON.parse(canonicalJson(value));
}

/**
 * Returns a JSON Schema in canonical order: keywords are sorted, and so are names in lists whose order has no
 * meaning.
 */
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
 * Returns the manifest of a server. The manifest contains all definitions, including those that guards hide from
 * clients. Two servers with equal definitions have identical manifests; `sigil manifest diff` finds breaking
 * changes.
 *
 * @param app the result of `createApp()`. If `createApp()` has redirected standard output, this call ends the
 *   redirection.
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

/** Returns the parts of a server's manifest, from its registry. */
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
