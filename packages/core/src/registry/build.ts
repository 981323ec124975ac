import type { DefinitionProblem } from '../errors/errors.js';
import type {
  HandlerDefinition,
  Presentation,
  PromptDefinition,
  ResourceDefinition,
  ToolDefinition,
  UnknownProperties,
} from '../metadata/definitions.js';
import type { Tool, ToolAnnotations } from '../protocol/descriptors.js';
import { compileMatcher } from '../protocol/uri-template/match.js';
import { parseUriTemplate, type UriTemplate, UriTemplateError } from '../protocol/uri-template/parse.js';
import { DELAY, isDelay } from '../transport/deadlines.js';
import { isObject, jsonFault } from '../protocol/json.js';
import { once } from '../protocol/maybe-promise.js';
import type { SchemaCompiler, ValuePlan } from '../schema/index.js';
import { cacheFaults, type CacheOptions } from '../protocol/results.js';
import {
  annotationProblems,
  argumentProblems,
  checkVariables,
  mirroredArguments,
  promptArguments,
} from './checks.js';
import type { Compile, Declaration, Target } from './declaration.js';
import type {
  Completer,
  DefinitionFacts,
  DefinitionHooks,
  Entry,
  PromptEntry,
  ResourceEntry,
  TemplateEntry,
  ToolEntry,
} from './entry.js';
import { isValidName, nameFromMethod } from './names.js';
import { explicitSource } from './parameters.js';

/** What building an entry needs. */
export interface BuildTools {
  readonly schemas: SchemaCompiler;
  readonly compile: Compile;
  /** What becomes of undeclared arguments, where a tool does not say. */
  readonly unknownProperties?: UnknownProperties | undefined;
  /** How extensions take part in definitions. */
  readonly hooks: readonly DefinitionHooks[];
  readonly problems: DefinitionProblem[];
}

/** Compiles a tool. */
export function buildTool(declaration: Declaration<ToolDefinition>, tools: BuildTools): ToolEntry {
  const { definition, where, binding } = declaration;
  const { schemas, compile, problems } = tools;
  const name = nameOf(declaration, problems);
  const unknown = definition.unknownProperties ?? tools.unknownProperties;
  const input = schemas.input(binding.source, where, problems, unknown);
  const returned = definition.output === undefined ? declaration.returns : explicitSource(definition.output);
  const output = returned && schemas.output(returned, `${where}, output`, problems);
  problems.push(
    ...argumentProblems(definition, where),
    ...timeoutProblems(definition, where),
    ...metaProblems(definition, where),
  );
  const info = factsOf(declaration, 'tool', name);
  // Not at boot: the schemas are written when a client first asks for them.
  const describe = once((): Tool => {
    return {
      name,
      ...presentation(definition, metaOf(info, tools)),
      inputSchema: input.advertised,
      ...(output ? { outputSchema: output.advertised } : {}),
      ...(info.annotations ? { annotations: info.annotations } : {}),
    };
  });
  return {
    kind: 'tool',
    ...common(declaration, info, name, compile),
    get descriptor() {
      return describe();
    },
    mirrored: input.mirrored ? mirroredArguments(input.advertised, where, problems) : [],
    run: compile.tool(declaration, info, input, output),
  };
}

/** Compiles a resource, or a template when its URI has variables. `undefined` when the URI does not parse. */
export function buildResource(
  declaration: Declaration<ResourceDefinition>,
  tools: BuildTools,
): ResourceEntry | TemplateEntry | undefined {
  const { definition, where, binding } = declaration;
  const { schemas, compile, problems } = tools;
  const template = parse(definition.uri, where, problems);
  const input = schemas.input(binding.source, where, problems);
  problems.push(...timeoutProblems(definition, where), ...metaProblems(definition, where));
  if (!template) return undefined;
  problems.push(...checkVariables(declaration, template, input));
  const { uri, mimeType, annotations, size, cache } = definition;
  if (cache !== undefined) problems.push(...checkCache(cache, where));
  const isTemplate = template.variables.length > 0;
  const info = factsOf(declaration, isTemplate ? 'template' : 'resource', uri);
  problems.push(...annotationProblems(annotations, size, where));
  const shared = {
    name: nameOf(declaration, problems),
    ...presentation(definition, metaOf(info, tools)),
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(annotations === undefined ? {} : { annotations }),
  };
  const run = compile.resource(declaration, info, input, shaping(info, tools));
  const permits = compile.permits(declaration, info, input);
  const base = {
    run,
    ...common(declaration, info, uri, compile),
    ...(cache ? { cache } : {}),
    ...(permits ? { permits } : {}),
  };
  if (!isTemplate) {
    const descriptor = { uri, ...shared, ...(size === undefined ? {} : { size }) };
    return { ...base, kind: 'resource', descriptor };
  }
  const completers = new Map<string, Completer>();
  const descriptor = { uriTemplate: uri, ...shared };
  return { ...base, kind: 'template', descriptor, match: compileMatcher(template), completers };
}

/** Compiles a prompt. */
export function buildPrompt(declaration: Declaration<PromptDefinition>, tools: BuildTools): PromptEntry {
  const { definition, where, binding } = declaration;
  const { schemas, compile, problems } = tools;
  const name = nameOf(declaration, problems);
  const input: ValuePlan = schemas.input(binding.source, where, problems);
  problems.push(...timeoutProblems(definition, where), ...metaProblems(definition, where));
  const args = promptArguments(input.advertised);
  const info = factsOf(declaration, 'prompt', name);
  return {
    kind: 'prompt',
    ...common(declaration, info, name, compile),
    descriptor: {
      name,
      ...presentation(definition, metaOf(info, tools)),
      ...(args.length > 0 ? { arguments: args } : {}),
    },
    run: compile.prompt(declaration, info, input),
    completers: new Map(),
  };
}

/** What every list would fail to be written for. */
function metaProblems({ meta }: Presentation, where: string): DefinitionProblem[] {
  const fault = jsonFault(meta);
  if (fault === undefined) return [];
  return [
    {
      code: 'SIGIL_INVALID_OPTIONS',
      where,
      what: `"meta" is sent to clients, and ${fault}`,
      fix: 'give values that JSON can carry; what only guards and middleware read belongs in "metadata"',
    },
  ];
}

/** What entries of every kind have. */
function common(
  declaration: Declaration<HandlerDefinition & Presentation>,
  info: DefinitionFacts,
  key: string,
  compile: Compile,
): Pick<ToolEntry, 'key' | 'where' | 'info' | 'context' | 'timeoutMs' | 'gate' | 'guards'> {
  const { timeoutMs } = declaration.definition;
  const gate = compile.gate(declaration, info);
  return {
    key,
    where: declaration.where,
    info,
    context: compile.context(info.kind as Entry['kind'], info),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(gate ? { gate, guards: compile.guards(declaration, info) } : {}),
  };
}

function factsOf(
  { definition, metadata, where }: Declaration<HandlerDefinition & Presentation>,
  kind: Entry['kind'],
  name: string,
): DefinitionFacts {
  return Object.freeze({
    kind,
    name,
    where,
    metadata: Object.freeze({ ...metadata, ...definition.metadata }),
    meta: definition.meta,
    annotations: definition.kind === 'tool' ? annotationsOf(definition) : undefined,
    mimeType: 'mimeType' in definition ? definition.mimeType : undefined,
  });
}

/** The `_meta` that clients see: the author's, and what extensions add. */
function metaOf(info: DefinitionFacts, { hooks }: BuildTools): Presentation['meta'] {
  const added = hooks.flatMap((hook) => hook.describe?.(info) ?? []);
  return added.length === 0 ? info.meta : (Object.assign({}, info.meta, ...added) as Presentation['meta']);
}

/** What extensions change in the contents of a resource; `undefined` for nothing. */
function shaping(info: DefinitionFacts, { hooks }: BuildTools): Parameters<Compile['resource']>[3] {
  const shapes = hooks.flatMap((hook) => hook.shapeContents?.(info) ?? []);
  if (shapes.length === 0) return undefined;
  return (contents) => shapes.reduce((shaped, shape) => shape(shaped), contents);
}

function timeoutProblems({ timeoutMs }: Presentation, where: string): DefinitionProblem[] {
  if (timeoutMs === undefined || timeoutMs === false || isDelay(timeoutMs)) return [];
  return [
    {
      code: 'SIGIL_INVALID_OPTIONS',
      where: `${where}, timeoutMs`,
      what: `it must be ${DELAY}`,
      fix: 'give the milliseconds the handler may take, or leave it out',
    },
  ];
}

function nameOf(
  declaration: Declaration<HandlerDefinition & Presentation>,
  problems: DefinitionProblem[],
): string {
  const name = declaration.definition.name ?? defaultName(declaration.target);
  if (!isValidName(name) && declaration.definition.kind !== 'resource') {
    problems.push({
      code: 'SIGIL_INVALID_NAME',
      where: declaration.where,
      what: `'${name}' is not a valid name`,
      fix: 'use 1 to 128 letters, digits, underscores, dots and hyphens',
    });
  }
  return name;
}

function defaultName(target: Target): string {
  return nameFromMethod(target.kind === 'method' ? target.method : target.handle.name);
}

function presentation(
  { title, description, icons }: Presentation,
  meta: Presentation['meta'],
): Omit<Presentation, 'name' | 'meta' | 'metadata' | 'timeoutMs'> {
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(icons === undefined ? {} : { icons }),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
}

function annotationsOf(definition: ToolDefinition): ToolAnnotations | undefined {
  const { readOnly, destructive, idempotent, openWorld } = definition;
  const annotations: ToolAnnotations = {
    ...(readOnly === undefined ? {} : { readOnlyHint: readOnly }),
    ...(destructive === undefined ? {} : { destructiveHint: destructive }),
    ...(idempotent === undefined ? {} : { idempotentHint: idempotent }),
    ...(openWorld === undefined ? {} : { openWorldHint: openWorld }),
  };
  return Object.keys(annotations).length > 0 ? annotations : undefined;
}

function parse(uri: string, where: string, problems: DefinitionProblem[]): UriTemplate | undefined {
  try {
    if (/^[A-Za-z][A-Za-z0-9+.-]*:/.test(uri)) return parseUriTemplate(uri);
    problems.push(invalidUri(uri, where, 'it does not begin with a scheme'));
  } catch (error) {
    if (!(error instanceof UriTemplateError)) throw error;
    problems.push(invalidUri(uri, where, error.message));
  }
  return undefined;
}

function invalidUri(uri: string, where: string, reason: string): DefinitionProblem {
  return {
    code: 'SIGIL_INVALID_URI',
    where,
    what: `'${uri}': ${reason}`,
    fix: 'write a URI with a scheme, such as "config://app", or an RFC 6570 template, such as "users://{id}"',
  };
}

/** Everything wrong with what a definition says about keeping its results. */
function checkCache(cache: CacheOptions, where: string): DefinitionProblem[] {
  const faults = isObject(cache) ? cacheFaults(cache) : [{ member: undefined, expected: 'an object' }];
  return faults.map(({ member, expected }) => ({
    code: 'SIGIL_INVALID_OPTIONS',
    where: `${where}, ${member === undefined ? 'cache' : `cache.${member}`}`,
    what: `it must be ${expected}`,
    fix: 'give a value in range, or leave it out: the app then decides',
  }));
}
