import type { Problem } from '../errors/definition-error.js';
import type { CompletionDefinition, HandlerDefinition } from '../metadata/definitions.js';
import { parseUriTemplate } from '../protocol/uri-template/index.js';
import { buildPrompt, buildResource, buildTool, type BuildTools } from './build.js';
import type { Collection } from './collection.js';
import type { Declaration } from './declaration.js';
import type { FindResource } from './definition-hooks.js';
import type { Completer, Entry } from './entry.js';
import type { Registry } from './registry.js';

/** Compiles declarations into a registry, what refers to others last; everything wrong is added to `tools.problems`. */
export function populate(registry: Registry, declarations: readonly Declaration[], tools: BuildTools): void {
  for (const declaration of declarations) {
    const entry = compileEntry(declaration, tools);
    if (entry) register(registry, entry, tools.problems);
  }
  for (const declaration of declarations) {
    if (isKind(declaration, 'completion')) addCompletion(registry, declaration, tools);
  }
  const { tools: served, prompts, resources, templates } = registry;
  for (const entry of [...served, ...prompts, ...resources, ...templates])
    tools.problems.push(...hookProblems(entry, registry, tools));
}

/** What extensions find wrong with an entry beside all that is registered. */
export function hookProblems(
  entry: Entry,
  registry: Registry,
  { hooks }: Pick<BuildTools, 'hooks'>,
): Problem[] {
  const find: FindResource = (uri) => registry.resolveUri(uri)?.entry.info;
  return hooks.flatMap((hook) => hook.check?.(entry.info, find) ?? []);
}

/** Compiles one declaration. `undefined` for completions, which are part of what they complete. */
export function compileEntry(declaration: Declaration, tools: BuildTools): Entry | undefined {
  if (isKind(declaration, 'tool')) return buildTool(declaration, tools);
  if (isKind(declaration, 'prompt')) return buildPrompt(declaration, tools);
  return isKind(declaration, 'resource') ? buildResource(declaration, tools) : undefined;
}

/** Puts an entry into its collection, unless its name is taken. */
export function register(registry: Registry, entry: Entry, problems: Problem[]): void {
  switch (entry.kind) {
    case 'tool':
      return add(registry.tools, entry, problems);
    case 'prompt':
      return add(registry.prompts, entry, problems);
    case 'resource':
      return add(registry.resources, entry, problems);
    case 'template':
      return add(registry.templates, entry, problems);
  }
}

function isKind<K extends HandlerDefinition['kind']>(
  declaration: Declaration,
  kind: K,
): declaration is Declaration<Extract<HandlerDefinition, { kind: K }>> {
  return declaration.definition.kind === kind;
}

function add<E extends Entry>(collection: Collection<E>, entry: E, problems: Problem[]): void {
  const holder = collection.get(entry.key);
  if (!holder) return collection.set(entry);
  problems.push({
    code: 'SIGIL_DUPLICATE_NAME',
    where: entry.where,
    what: `the ${entry.kind} '${entry.key}' is already defined by ${holder.where}`,
    fix:
      entry.kind === 'tool' || entry.kind === 'prompt'
        ? 'rename one of them with { name }'
        : 'change one of the URIs',
  });
}

function addCompletion(
  registry: Registry,
  declaration: Declaration<CompletionDefinition>,
  tools: BuildTools,
): void {
  const { ref, argument } = declaration.definition;
  const entry = registry.prompts.get(ref) ?? registry.templates.get(ref);
  const names =
    entry?.kind === 'prompt'
      ? (entry.descriptor.arguments ?? []).map(({ name }) => name)
      : variablesOf(entry?.key);
  if (entry && names.includes(argument)) {
    const gate = tools.compile.gate(declaration, entry.info);
    const run = tools.compile.completion(declaration, entry.info);
    (entry.completers as Map<string, Completer>).set(argument, { run, ...(gate ? { gate } : {}) });
    return;
  }
  tools.problems.push({
    code: 'SIGIL_UNKNOWN_COMPLETION',
    where: declaration.where,
    what: entry
      ? `'${ref}' has no argument '${argument}'`
      : `there is no prompt or resource template '${ref}'`,
    fix: entry
      ? `complete one of its arguments: ${names.join(', ') || 'it has none'}`
      : 'write the name of a prompt, or the URI template exactly as in @Resource',
  });
}

function variablesOf(uriTemplate: string | undefined): readonly string[] {
  return uriTemplate === undefined ? [] : parseUriTemplate(uriTemplate).variables;
}
