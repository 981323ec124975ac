import { canonicalJson } from '@sigil/core/internal';
import type {
  Manifest,
  ManifestPrompt,
  ManifestResource,
  ManifestTemplate,
  ManifestTool,
} from '@sigil/core/manifest';
import type { JsonSchema } from '@sigil/core/protocol';
import { isObject, objectOf } from '../json.js';
import { shown } from '../schema/difference.js';
import {
  type ManifestChange,
  CHANGE_LEVELS,
  diffGuards,
  diffListed,
  diffOthers,
  diffSchemas,
  diffWording,
  INPUT_LEVELS,
  OUTPUT_LEVELS,
  type ReportChange,
} from './diff-members.js';

/**
 * Lists the changes between two manifests, with their effect on clients. A change breaks clients if an input schema
 * accepts fewer values than before, or if an output schema allows more values than before.
 *
 * @param before the older manifest.
 * @param after the newer manifest.
 * @returns the changes, the most serious changes first. The list is empty if both manifests are equal.
 * @example
 * ```ts
 * const changes = diffManifests(readManifestFile('manifest.json'), manifestOf(app));
 * const isBreaking = changes.some(({ level }) => level === 'breaking');
 * ```
 */
export function diffManifests(before: Manifest, after: Manifest): ManifestChange[] {
  const changes = [
    ...diffServer(before, after),
    ...diffCapabilities(before.capabilities, after.capabilities),
    ...diffEntries<ManifestTool>('tool', before.tools, after.tools, ({ name }) => name, diffTools),
    ...diffEntries<ManifestResource>(
      'resource',
      before.resources,
      after.resources,
      ({ uri }) => uri,
      diffResources,
    ),
    ...diffEntries<ManifestTemplate>(
      'template',
      before.resourceTemplates,
      after.resourceTemplates,
      ({ uriTemplate }) => uriTemplate,
      diffTemplates,
    ),
    ...diffEntries<ManifestPrompt>('prompt', before.prompts, after.prompts, ({ name }) => name, diffPrompts),
  ];
  return CHANGE_LEVELS.flatMap((level) => changes.filter((change) => change.level === level));
}

/** Members that clients only display. */
const SHARED = ['title', 'description', 'icons', '_meta'];
const TOOL_MEMBERS = [
  ...SHARED,
  'name',
  'annotations',
  'inputSchema',
  'outputSchema',
  'task',
  'hiddenFromSessions',
  'guarded',
  'scopes',
];
const RESOURCE_WORDS = [...SHARED, 'name', 'annotations', 'size'];
const RESOURCE_MEMBERS = [...RESOURCE_WORDS, 'uri', 'completes', 'guarded', 'scopes'];
const PROMPT_MEMBERS = [...SHARED, 'name', 'arguments', 'inputSchema', 'completes', 'guarded', 'scopes'];

function diffServer(before: Manifest, after: Manifest): ManifestChange[] {
  const server: ReportChange = (level, path, what) => ({ level, where: 'server', path, what });
  return [
    ...diffWording(before.server, after.server, Object.keys({ ...before.server, ...after.server }), server),
    ...diffWording(before, after, ['instructions'], server),
  ];
}

function diffResources(
  before: ManifestResource,
  after: ManifestResource,
  place: ReportChange,
): ManifestChange[] {
  return [
    ...diffWording(before, after, RESOURCE_WORDS, place),
    ...diffGuards(before, after, place),
    ...diffOthers(before, after, RESOURCE_MEMBERS, place),
  ];
}

function diffTemplates(
  before: ManifestTemplate,
  after: ManifestTemplate,
  place: ReportChange,
): ManifestChange[] {
  return [
    ...diffResources(asResource(before), asResource(after), place),
    ...diffListed('completes', before, after, place),
  ];
}

function asResource({ uriTemplate, ...shared }: ManifestTemplate): ManifestResource {
  return { uri: uriTemplate, ...shared };
}

function diffPrompts(before: ManifestPrompt, after: ManifestPrompt, place: ReportChange): ManifestChange[] {
  return [
    ...diffWording(before, after, SHARED, place),
    ...diffSchemas(
      'arguments',
      promptSchema(before, after),
      promptSchema(after, before),
      INPUT_LEVELS,
      place,
    ),
    ...diffListed('completes', before, after, place),
    ...diffGuards(before, after, place),
    ...diffOthers(before, after, PROMPT_MEMBERS, place),
  ];
}

/** Pairs the entries of one kind by their keys, and compares each pair. */
function diffEntries<E>(
  kind: string,
  before: readonly E[],
  after: readonly E[],
  key: (entry: E) => string,
  diff: (before: E, after: E, place: ReportChange) => ManifestChange[],
): ManifestChange[] {
  const [was, is] = [byKey(before, key), byKey(after, key)];
  return [...new Set([...was.keys(), ...is.keys()])].sort().flatMap((name) => {
    const place: ReportChange = (level, path, what) => ({ level, where: `${kind} ${name}`, path, what });
    const [one, other] = [was.get(name), is.get(name)];
    if (one === undefined) return [place('additive', '', `${kind} added`)];
    if (other === undefined) return [place('breaking', '', `${kind} removed`)];
    return diff(one, other, place);
  });
}

function byKey<E>(entries: readonly E[], key: (entry: E) => string): Map<string, E> {
  return new Map(entries.map((entry) => [key(entry), entry]));
}

/**
 * The hints that let clients run tools without confirmation: the value of each hint that does so, and its
 * default.
 */
const HINTS = {
  readOnlyHint: { safe: true, absent: false },
  destructiveHint: { safe: false, absent: true },
  idempotentHint: { safe: true, absent: false },
  openWorldHint: { safe: false, absent: true },
} as const;

/** Compares a tool in two manifests. */
function diffTools(before: ManifestTool, after: ManifestTool, place: ReportChange): ManifestChange[] {
  return [
    ...diffWording(before, after, SHARED, place),
    ...diffHints(before, after, place),
    ...diffSchemas('input', before.inputSchema, after.inputSchema, INPUT_LEVELS, place),
    ...diffOutput(before, after, place),
    ...diffTask(before, after, place),
    ...diffGuards(before, after, place),
    ...diffOthers(withoutDefaults(before), withoutDefaults(after), TOOL_MEMBERS, place),
  ];
}

/**
 * Returns a tool without an `execution` that contains only defaults. Servers that use the SDK v1 send one
 * with every tool.
 */
function withoutDefaults(tool: ManifestTool): object {
  return Object.fromEntries(
    Object.entries(tool).filter(
      ([member, value]) => member !== 'execution' || canonicalJson(value) !== '{"taskSupport":"forbidden"}',
    ),
  );
}

function diffHints(
  { annotations: before = {} }: ManifestTool,
  { annotations: after = {} }: ManifestTool,
  place: ReportChange,
): ManifestChange[] {
  const titles = diffWording(before, after, ['title'], (level, path, what) =>
    place(level, `annotations.${path}`, what),
  );
  const hints = Object.entries(HINTS).flatMap(([name, { safe, absent }]) => {
    const [was, is] = [before[name as keyof typeof HINTS], after[name as keyof typeof HINTS]];
    if (was === is) return [];
    const [wasSafe, isSafe] = [(was ?? absent) === safe, (is ?? absent) === safe];
    const level = wasSafe === isSafe ? 'wording' : isSafe ? 'additive' : 'breaking';
    return [place(level, `annotations.${name}`, `${shown(was)} → ${shown(is)}`)];
  });
  return [...titles, ...hints];
}

function diffOutput(
  { outputSchema: before }: ManifestTool,
  { outputSchema: after }: ManifestTool,
  place: ReportChange,
): ManifestChange[] {
  if (before && after) return diffSchemas('output', before, after, OUTPUT_LEVELS, place);
  if (after) return [place('additive', 'output', 'schema added')];
  return before ? [place('breaking', 'output', 'schema removed')] : [];
}

/**
 * Compares task support. Clients only lose a tool that must now run as a task, or that is hidden for another reason.
 */
function diffTask(before: ManifestTool, after: ManifestTool, place: ReportChange): ManifestChange[] {
  const [was, is] = [before.task, after.task];
  if (was !== is)
    return [place(is === 'required' ? 'breaking' : 'additive', 'task', `${shown(was)} → ${shown(is)}`)];
  const [wasHidden, isHidden] = [before.hiddenFromSessions === true, after.hiddenFromSessions === true];
  if (wasHidden === isHidden) return [];
  return [place(isHidden ? 'breaking' : 'additive', 'hiddenFromSessions', `${wasHidden} → ${isHidden}`)];
}

/**
 * Returns the arguments of a prompt as a schema. Clients send strings, so an argument of type string accepts
 * every value.
 *
 * @param other the prompt in the other manifest. If only one of the two lists the values of an argument, the
 * values count as equal.
 */
function promptSchema(prompt: ManifestPrompt, other: ManifestPrompt): JsonSchema {
  const { properties, required, $defs } = prompt.inputSchema ?? listedSchema(prompt, other.inputSchema);
  const texts = Object.entries(objectOf(properties)).map(([name, schema]): [string, unknown] => {
    const { type, ...rest } = objectOf(schema);
    return [name, type === 'string' ? rest : schema];
  });
  return { type: 'object', properties: Object.fromEntries(texts), required, $defs };
}

function listedSchema(
  { arguments: list = [] }: ManifestPrompt,
  { properties, $defs }: JsonSchema = {},
): JsonSchema {
  const known = objectOf(properties);
  const listed = list.map(({ name, required: _, ...said }): [string, unknown] => {
    const { title: _title, description: _description, ...values } = objectOf(known[name]);
    return [name, 'enum' in said ? said : { ...values, ...said }];
  });
  const required = list.filter((argument) => argument.required).map(({ name }) => name);
  return { properties: Object.fromEntries(listed), required, $defs };
}

/** Compares the capabilities of two servers. A removed or changed capability breaks clients. */
function diffCapabilities(before: unknown, after: unknown, path = ''): ManifestChange[] {
  if (canonicalJson(before) === canonicalJson(after)) return [];
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return names.flatMap((name) =>
      diffCapabilities(before[name], after[name], path === '' ? name : `${path}.${name}`),
    );
  }
  const isAdded = before === undefined || before === false;
  const what = isAdded
    ? 'added'
    : after === undefined || after === false
      ? 'removed'
      : `${shown(before)} → ${shown(after)}`;
  return [{ level: isAdded ? 'additive' : 'breaking', where: 'capabilities', path, what }];
}
