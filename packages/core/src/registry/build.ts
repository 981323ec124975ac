import type { Access } from '../context/access.js';
import type { Problem } from '../errors/definition-error.js';
import type {
  HandlerDefinition,
  Presentation,
  PromptDefinition,
  ResourceDefinition,
  ToolDefinition,
  UnknownProperties,
} from '../metadata/definitions.js';
import type { Tool, ToolAnnotations } from '../protocol/descriptors.js';
import {
  compileMatcher,
  parseUriTemplate,
  type UriTemplate,
  UriTemplateError,
} from '../protocol/uri-template/index.js';
import { once } from '../protocol/once.js';
import type { SchemaCompiler, ValuePlan } from '../schema/index.js';
import { checkCache } from './check-cache.js';
import { annotationProblems } from './annotation-problems.js';
import { argumentProblems } from './argument-problems.js';
import type { Compile } from './compile.js';
import type { Declaration, Target } from './declaration.js';
import type { Completer, PromptEntry, ResourceEntry, TemplateEntry, ToolEntry } from './entry.js';
import { mirroredArguments } from './mirrored-arguments.js';
import { isValidName, nameFromMethod } from './names.js';
import { explicitSource } from './parameters.js';
import { promptArguments } from './prompt-arguments.js';
import { taskProblems } from './task-problems.js';
import { resourceMeta, toolMeta } from './ui-meta.js';
import { resourceUiProblems, toolUiProblems } from './ui-problems.js';
import { checkVariables } from './variables.js';

/** What building an entry needs. */
export interface BuildTools {
  readonly schemas: SchemaCompiler;
  readonly compile: Compile;
  /** What becomes of undeclared arguments, where a tool does not say. */
  readonly unknownProperties?: UnknownProperties | undefined;
  readonly problems: Problem[];
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
    ...taskProblems(definition, where),
    ...toolUiProblems(definition, where),
  );
  const meta = toolMeta(definition);
  // Not at boot: the schemas are written when somebody first asks for them.
  const describe = once((): Tool => {
    const annotations = annotationsOf(definition);
    return {
      name,
      ...presentation(definition, meta),
      inputSchema: input.advertised,
      ...(output ? { outputSchema: output.advertised } : {}),
      ...(annotations ? { annotations } : {}),
    };
  });
  const access = { kind: 'tool', name, meta: meta ?? {} } as const;
  return {
    kind: 'tool',
    definition,
    key: name,
    where,
    get descriptor() {
      return describe();
    },
    mirrored: input.mirrored ? mirroredArguments(input.advertised, where, problems) : [],
    run: compile.tool(declaration, input, output),
    ...guarding(declaration, access, compile),
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
  problems.push(...resourceUiProblems(definition, where));
  if (!template) return undefined;
  problems.push(...checkVariables(declaration, template, input));
  const { uri, mimeType, annotations, size, cache } = definition;
  if (cache !== undefined) problems.push(...checkCache(cache, where));
  problems.push(...annotationProblems(annotations, size, where));
  const meta = resourceMeta(definition);
  const shared = {
    name: nameOf(declaration, problems),
    ...presentation(definition, meta),
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(annotations === undefined ? {} : { annotations }),
  };
  const isTemplate = template.variables.length > 0;
  const run = compile.resource(declaration, input);
  const access = {
    kind: isTemplate ? 'template' : 'resource',
    name: uri,
    meta: meta ?? {},
  } as const;
  const guarded = guarding(declaration, access, compile);
  const base = { key: uri, where, run, ...guarded, ...(cache ? { cache } : {}) };
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
  const args = promptArguments(input.advertised);
  const access = { kind: 'prompt', name, meta: definition.meta ?? {} } as const;
  return {
    kind: 'prompt',
    key: name,
    where,
    descriptor: {
      name,
      ...presentation(definition, definition.meta),
      ...(args.length > 0 ? { arguments: args } : {}),
    },
    run: compile.prompt(declaration, input),
    completers: new Map(),
    ...guarding(declaration, access, compile),
  };
}

/** The gate of an entry, and the guards behind it; neither when everybody may. */
function guarding(
  declaration: Declaration,
  access: Pick<Access, 'kind' | 'name' | 'meta'>,
  compile: Compile,
): Pick<ToolEntry, 'gate' | 'guards'> {
  const gate = compile.gate(declaration, access);
  return gate ? { gate, guards: compile.guards(declaration, access) } : {};
}

function nameOf(declaration: Declaration<HandlerDefinition & Presentation>, problems: Problem[]): string {
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
): Omit<Presentation, 'name' | 'meta'> {
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

function parse(uri: string, where: string, problems: Problem[]): UriTemplate | undefined {
  try {
    if (/^[A-Za-z][A-Za-z0-9+.-]*:/.test(uri)) return parseUriTemplate(uri);
    problems.push(invalidUri(uri, where, 'it does not begin with a scheme'));
  } catch (error) {
    if (!(error instanceof UriTemplateError)) throw error;
    problems.push(invalidUri(uri, where, error.message));
  }
  return undefined;
}

function invalidUri(uri: string, where: string, reason: string): Problem {
  return {
    code: 'SIGIL_INVALID_URI',
    where,
    what: `'${uri}': ${reason}`,
    fix: 'write a URI with a scheme, such as "config://app", or an RFC 6570 template, such as "users://{id}"',
  };
}
