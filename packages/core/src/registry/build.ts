import { nearest } from '../protocol/nearest.js';
import type { Diagnostics } from '../errors/errors.js';
import type { Declaration, Target } from '../invoke/declaration.js';
import type { HandlerCompiler } from '../invoke/handler-compiler.js';
import type {
  HandlerDefinition,
  Presentation,
  PromptDefinition,
  ResourceDefinition,
  ToolDefinition,
  UnknownProperties,
} from '../metadata/definitions.js';
import type { Tool, ToolAnnotations } from '../protocol/descriptors.js';
import type { ResourceContents } from '../protocol/content.js';
import { frozenCopy, isObject, jsonFault, withoutUndefined } from '../protocol/json.js';
import type { Logger } from '../protocol/logging.js';
import { once } from '../protocol/maybe-promise.js';
import { compileMatcher, plainHead } from '../protocol/uri-template/match.js';
import { parseUriTemplate, type UriTemplate, UriTemplateError } from '../protocol/uri-template/parse.js';
import type { SchemaCompiler } from '../schema/index.js';
import { DELAY, isDelay } from '../transport/deadlines.js';
import {
  areIcons,
  checkAnnotations,
  checkCache,
  checkUnknownProperties,
  checkVariables,
  ICONS,
  isSecret,
  metaKeyFault,
  mirroredArguments,
  promptArguments,
} from './checks.js';
import type {
  DefinitionDetails,
  DefinitionHooks,
  Entry,
  PromptEntry,
  ResourceEntry,
  TemplateEntry,
  ToolEntry,
} from './entry.js';
import { listedReader } from './listed.js';
import { explicitSource } from './parameters.js';

/** Dependencies and options of `buildEntry`. */
export interface BuildTools {
  readonly schemas: SchemaCompiler;
  readonly handlers: HandlerCompiler;
  /** The app's option `unknownProperties`: how undeclared arguments are handled by default. */
  readonly unknownProperties?: UnknownProperties | undefined;
  /** The hooks that extensions provide for definitions. */
  readonly hooks: readonly DefinitionHooks[];
  readonly logger: Logger;
  readonly diagnostics: Diagnostics;
}

/** A definition that clients find by its own name or URI. */
type ServedDefinition = ToolDefinition | ResourceDefinition | PromptDefinition;

/**
 * Compiles a declared tool, resource, template or prompt into an entry of the registry. Validates the options, compiles
 * the schemas, policies and handler, and freezes the entry. Problems are added to `tools.diagnostics`.
 *
 * @returns the entry; `undefined` if the URI is invalid, or if the declaration is a completion. Completions have no
 *   entry of their own: they belong to the entry of a prompt or template.
 */
export function buildEntry(declaration: Declaration, tools: BuildTools): Entry | undefined {
  if (isKind(declaration, 'tool')) return buildTool(declaration, tools);
  if (isKind(declaration, 'prompt')) return buildPrompt(declaration, tools);
  return isKind(declaration, 'resource') ? buildResource(declaration, tools) : undefined;
}

/** Whether a declaration is of the given kind. */
export function isKind<K extends HandlerDefinition['kind']>(
  declaration: Declaration,
  kind: K,
): declaration is Declaration<Extract<HandlerDefinition, { kind: K }>> {
  return declaration.definition.kind === kind;
}

function buildTool(declaration: Declaration<ToolDefinition>, tools: BuildTools): ToolEntry {
  const { definition, where, binding } = declaration;
  const { schemas, handlers } = tools;
  const at = tools.diagnostics.at(where);
  const name = nameOf(declaration, at);
  const unknown = definition.unknownProperties ?? tools.unknownProperties;
  const input = schemas.input(binding.source, where, at.problems, unknown);
  const returned = definition.output === undefined ? declaration.returns : explicitSource(definition.output);
  const output = returned && schemas.output(returned, at.at('output').where, at.problems);
  checkUnknownProperties(definition, at);
  const mirrored = frozenCopy(input.mirrored ? mirroredArguments(input.advertised, at) : []);
  for (const argument of mirrored.filter(isSecret))
    tools.logger.warn(
      { where, header: argument.header, argument: argument.path.join('.') },
      'a header repeats an argument whose name suggests a secret, but proxies may log all headers: remove @McpHeader from the argument',
    );
  const base = baseOf(declaration, 'tool', name, tools);
  const { info } = base;
  // Not at boot: the schemas are written when a client first asks for them.
  const describe = once((): Tool =>
    frozenCopy({
      name,
      ...presentation(definition, info, tools),
      inputSchema: input.advertised,
      ...(output ? { outputSchema: output.advertised } : {}),
      ...(info.annotations ? { annotations: info.annotations } : {}),
    }),
  );
  return Object.freeze({
    kind: 'tool',
    ...base,
    get descriptor() {
      return describe();
    },
    mirrored,
    run: handlers.tool(declaration, info, input, output),
  });
}

/** Builds a resource, or a template if its URI has variables. */
function buildResource(
  declaration: Declaration<ResourceDefinition>,
  tools: BuildTools,
): ResourceEntry | TemplateEntry | undefined {
  const { definition, where, binding } = declaration;
  const { schemas, handlers } = tools;
  const { uri, mimeType, annotations, size, cache } = definition;
  const at = tools.diagnostics.at(where);
  const template = parse(uri, at);
  const input = schemas.input(binding.source, where, at.problems);
  const isTemplate = template !== undefined && template.variables.length > 0;
  const base = baseOf(declaration, isTemplate ? 'template' : 'resource', uri, tools);
  if (!template) return undefined;
  checkVariables(declaration, template, input, at);
  if (cache !== undefined) checkCache(cache, at);
  checkAnnotations(annotations, size, at);
  const listTarget = listTargetOf(declaration, isTemplate, at);
  const { info } = base;
  const served = {
    ...base,
    run: handlers.resource(declaration, info, input, shaping(info, tools)),
    hears: handlers.hears(declaration, info, input),
    ...(cache ? { cache: frozenCopy(cache) } : {}),
  };
  const shared = {
    name: nameOf(declaration, at),
    ...presentation(definition, info, tools),
    ...withoutUndefined({ mimeType, annotations }),
  };
  if (!isTemplate) {
    const descriptor = frozenCopy({ uri, ...shared, ...withoutUndefined({ size }) });
    return Object.freeze({ ...served, kind: 'resource', descriptor });
  }
  const match = compileMatcher(template);
  const { prefixUri = (written) => written } = declaration;
  const read = listedReader(template, match, mimeType, prefixUri);
  return Object.freeze({
    ...served,
    kind: 'template',
    descriptor: frozenCopy({ uriTemplate: uri, ...shared }),
    head: plainHead(template),
    match,
    completers: Object.freeze({}),
    ...(listTarget ? { list: handlers.list(declaration, info, input, listTarget, read) } : {}),
  });
}

/**
 * Returns the function that lists the resources of a template; `undefined` if there is none. Problems are
 * added to `at`.
 */
function listTargetOf(
  { definition: { list }, target }: Declaration<ResourceDefinition>,
  isTemplate: boolean,
  at: Diagnostics,
): Target | undefined {
  if (list === undefined) return undefined;
  const refuse = (what: string, fix: string): undefined =>
    void at.at('list').add('SIGIL_INVALID_OPTIONS', what, fix);
  if (!isTemplate)
    return refuse(
      'a resource with a fixed URI cannot have this option',
      'leave the option out: resources/list contains this resource anyway',
    );
  if (target.kind === 'function') {
    if (typeof list === 'function') return { kind: 'function', handle: list };
    return refuse('it must be a function', 'write list: ({ cursor }) => ({ resources: [{ uri, name }] })');
  }
  const { cls } = target;
  if (typeof list === 'string' && typeof Reflect.get(cls.prototype as object, list) === 'function')
    return { kind: 'method', cls, method: list };
  return refuse(
    typeof list === 'string' ? `${cls.name} has no method '${list}'` : 'it must be the name of a method',
    `set list to the name of a method of ${cls.name} that returns the resources, for example listAll({ cursor }: ListRequest) { return { resources: [{ uri, name }] } }`,
  );
}

function buildPrompt(declaration: Declaration<PromptDefinition>, tools: BuildTools): PromptEntry {
  const { definition, where, binding } = declaration;
  const at = tools.diagnostics.at(where);
  const name = nameOf(declaration, at);
  const input = tools.schemas.input(binding.source, where, at.problems);
  const inputSchema = frozenCopy(input.advertised);
  const args = promptArguments(inputSchema);
  const base = baseOf(declaration, 'prompt', name, tools);
  return Object.freeze({
    kind: 'prompt',
    ...base,
    descriptor: frozenCopy({
      name,
      ...presentation(definition, base.info, tools),
      ...(args.length > 0 ? { arguments: args } : {}),
    }),
    inputSchema,
    run: tools.handlers.prompt(declaration, base.info, input),
    completers: Object.freeze({}),
  });
}

/** Returns the members that entries of every kind have. */
function baseOf(
  declaration: Declaration<ServedDefinition>,
  kind: Entry['kind'],
  key: string,
  { handlers, diagnostics }: BuildTools,
): Pick<ToolEntry, 'key' | 'where' | 'info' | 'timeoutMs' | 'guardCheck' | 'guards' | 'partialScopes'> {
  const { definition, metadata, where } = declaration;
  const { timeoutMs, meta } = definition;
  checkMembers(definition, diagnostics.at(where));
  checkTimeout(timeoutMs, diagnostics.at(where));
  checkMeta(meta, diagnostics.at(where));
  const info: DefinitionDetails = Object.freeze({
    kind,
    name: key,
    where,
    metadata: frozenCopy({ ...metadata, ...definition.metadata }),
    meta: frozenCopy(meta),
    annotations: definition.kind === 'tool' ? annotationsOf(definition) : undefined,
    mimeType: 'mimeType' in definition ? definition.mimeType : undefined,
  });
  return {
    key,
    where,
    info,
    ...withoutUndefined({ timeoutMs }),
    ...handlers.access(declaration, info),
  };
}

/** Reports `_meta` that the protocol forbids, or that has no JSON form. */
function checkMeta(meta: Presentation['meta'], at: Diagnostics): void {
  for (const key of Object.keys(meta ?? {})) {
    const wrong = metaKeyFault(key);
    if (wrong === undefined) continue;
    const fix =
      'begin the key with your own domain and a slash, such as "com.example/cost", or use a name of letters and digits only';
    at.at('meta').add('SIGIL_INVALID_OPTIONS', `'${key}' ${wrong}`, fix);
  }
  const fault = jsonFault(meta);
  if (fault === undefined) return;
  const fix = 'use values that JSON can represent; values for guards and middleware belong in "metadata"';
  at.add('SIGIL_INVALID_OPTIONS', `"meta" is sent to clients, and ${fault}`, fix);
}

const MEMBERS = ['kind', 'name', 'title', 'description', 'icons', 'meta', 'metadata', 'timeoutMs'];
const HINTS = ['readOnly', 'destructive', 'idempotent', 'openWorld'] as const;
const MEMBERS_OF: Readonly<Record<HandlerDefinition['kind'], readonly string[]>> = {
  tool: [...MEMBERS, ...HINTS, 'input', 'groups', 'output', 'coerce', 'unknownProperties'],
  resource: [...MEMBERS, 'uri', 'groups', 'mimeType', 'annotations', 'size', 'cache', 'list'],
  prompt: [...MEMBERS, 'input', 'groups'],
  completion: [...MEMBERS, 'ref', 'argument'],
};

type Check = readonly [is: (value: unknown) => boolean, expected: string];

const TEXT: Check = [(value) => typeof value === 'string', 'a string'];
const FLAG: Check = [(value) => typeof value === 'boolean', 'true or false'];
const MEMBERS_BY_NAME: Check = [isObject, 'an object'];

/** Checks of options that are not validated anywhere else before they are sent to clients. */
const VALUES: Readonly<Record<string, Check>> = {
  name: TEXT,
  title: TEXT,
  description: TEXT,
  mimeType: TEXT,
  icons: [areIcons, ICONS],
  meta: MEMBERS_BY_NAME,
  metadata: MEMBERS_BY_NAME,
  readOnly: FLAG,
  destructive: FLAG,
  idempotent: FLAG,
  openWorld: FLAG,
  coerce: FLAG,
  groups: [
    (value) => Array.isArray(value) && value.every((group) => typeof group === 'string'),
    "a list of strings, such as ['create']",
  ],
};

/** Refuses unknown options. A guard under a misspelt name would have no effect. */
function checkMembers(definition: HandlerDefinition, at: Diagnostics): void {
  const known = MEMBERS_OF[definition.kind];
  for (const option of Object.keys(definition).filter((name) => !known.includes(name))) {
    const meant = nearest(option, [...known, 'guards', 'middleware', 'scopes', 'errors']);
    const fix = meant === undefined ? `use any of ${known.slice(1).join(', ')}` : `write ${meant}`;
    at.at(option).add('SIGIL_INVALID_OPTIONS', 'this option does not exist', fix);
  }
  for (const [option, [is, expected]] of Object.entries(VALUES)) {
    const value: unknown = known.includes(option) ? Reflect.get(definition, option) : undefined;
    if (value !== undefined && !is(value))
      at.at(option).add(
        'SIGIL_INVALID_OPTIONS',
        `it must be ${expected}`,
        'set such a value, or leave the option out',
      );
  }
}

function checkTimeout(timeoutMs: Presentation['timeoutMs'], at: Diagnostics): void {
  if (timeoutMs === undefined || timeoutMs === false || isDelay(timeoutMs)) return;
  const fix = 'set the maximum time of the handler in milliseconds, or leave the option out';
  at.at('timeoutMs').add('SIGIL_INVALID_OPTIONS', `it must be ${DELAY}`, fix);
}

/**
 * Combines the functions of extensions that change the contents of a resource; `undefined` if there are none.
 */
function shaping(
  info: DefinitionDetails,
  { hooks }: BuildTools,
): ((contents: ResourceContents) => ResourceContents) | undefined {
  const shapes = hooks.flatMap((hook) => hook.shapeContents?.(info) ?? []);
  if (shapes.length === 0) return undefined;
  return (contents) => shapes.reduce((shaped, shape) => shape(shaped), contents);
}

/** Specification 2026-07-28, server/tools, "Tool Names". */
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;

function nameOf({ definition, target }: Declaration<ServedDefinition>, at: Diagnostics): string {
  const name = String(definition.name ?? defaultName(target));
  if (!TOOL_NAME.test(name) && definition.kind !== 'resource') {
    const fix = 'use 1 to 128 letters, digits, underscores, dots and hyphens';
    at.add('SIGIL_INVALID_NAME', `'${name}' is not a valid name`, fix);
  }
  return name;
}

/** Returns the default name for a method: `check_inventory` for `checkInventory`. */
export function defaultName(target: Target): string {
  const method = target.kind === 'method' ? target.method : target.handle.name;
  const name = typeof method === 'symbol' ? (method.description ?? '') : method;
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();
}

/**
 * Returns the members that an entry has in lists besides its name, with `_meta` from the author and from
 * extensions.
 */
function presentation(
  { title, description, icons }: Presentation,
  info: DefinitionDetails,
  { hooks }: BuildTools,
): Pick<Tool, 'title' | 'description' | 'icons' | '_meta'> {
  const added = hooks.flatMap((hook) => hook.describe?.(info) ?? []);
  const meta = added.length === 0 ? info.meta : (Object.assign({}, info.meta, ...added) as Tool['_meta']);
  return withoutUndefined({ title, description, icons, _meta: meta });
}

function annotationsOf(definition: ToolDefinition): ToolAnnotations | undefined {
  const { readOnly, destructive, idempotent, openWorld } = definition;
  const annotations: ToolAnnotations = withoutUndefined({
    readOnlyHint: readOnly,
    destructiveHint: destructive,
    idempotentHint: idempotent,
    openWorldHint: openWorld,
  });
  return Object.keys(annotations).length > 0 ? Object.freeze(annotations) : undefined;
}

function parse(uri: string, at: Diagnostics): UriTemplate | undefined {
  const refuse = (reason: string): void => {
    const fix =
      'write a URI with a scheme, such as "config://app", or an RFC 6570 template, such as "users://{id}"';
    at.add('SIGIL_INVALID_URI', `'${uri}': ${reason}`, fix);
  };
  try {
    if (/^[A-Za-z][A-Za-z0-9+.-]*:/.test(uri)) return parseUriTemplate(uri);
    refuse('it does not begin with a scheme');
  } catch (error) {
    if (!(error instanceof UriTemplateError)) throw error;
    refuse(error.message);
  }
  return undefined;
}
