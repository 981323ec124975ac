import type { DefinitionProblem } from '../errors/errors.js';
import type { CompletionDefinition, HandlerDefinition } from '../metadata/definitions.js';
import { parseUriTemplate } from '../protocol/uri-template/parse.js';
import { buildPrompt, buildResource, buildTool, type BuildTools } from './build.js';
import type { Collection, Registry } from './registry.js';
import type { Declaration } from './declaration.js';
import type { Completer, Entry, FindResource, PromptEntry, TemplateEntry } from './entry.js';

/** What has completions. */
type Completable = PromptEntry | TemplateEntry;

/** Compiles declarations into a registry, what refers to others last; everything wrong is added to `tools.problems`. */
export function populate(registry: Registry, declarations: readonly Declaration[], tools: BuildTools): void {
  for (const declaration of declarations) {
    const entry = compileEntry(declaration, tools);
    if (entry) add(collectionOf(registry, entry), entry, tools.problems);
  }
  for (const declaration of declarations) {
    if (!isKind(declaration, 'completion')) continue;
    const entry = completable(registry, declaration, tools.problems);
    const holder = entry && completionOf(registry, declaration);
    if (holder) tools.problems.push(duplicateCompletion(declaration, holder));
    if (entry) addCompletion(registry, entry, declaration, tools);
  }
  const { tools: served, prompts, resources, templates } = registry;
  for (const entry of [...served, ...prompts, ...resources, ...templates])
    tools.problems.push(...hookProblems(entry, registry, tools));
}

/** What extensions find wrong with an entry beside all that is registered. */
function hookProblems(
  entry: Entry,
  registry: Registry,
  { hooks }: BuildTools,
  draft: ReadonlyMap<string, Entry> = new Map(),
): DefinitionProblem[] {
  const find: FindResource = (uri) => (draft.get(uri) ?? registry.resolveUri(uri)?.entry)?.info;
  return hooks.flatMap((hook) => hook.check?.(entry.info, find) ?? []);
}

/**
 * Adds declarations to a registry that serves already: all of them, or none when something is wrong, which is added to
 * `tools.problems`. A prompt or template takes over the completions of the one that had its name before.
 */
export function extend(registry: Registry, declarations: readonly Declaration[], tools: BuildTools): void {
  const draft = new Map<string, Entry>();
  for (const declaration of declarations) {
    const entry = compileEntry(declaration, tools);
    if (!entry) continue;
    const holder = collectionOf(registry, entry).get(entry.key) ?? draft.get(entry.key);
    if (holder) tools.problems.push(duplicate(entry, holder));
    draft.set(entry.key, entry);
  }
  for (const entry of draft.values()) tools.problems.push(...hookProblems(entry, registry, tools, draft));
  const completions = declarations.filter((declaration) => isKind(declaration, 'completion'));
  const completed = completions.map((declaration) => {
    const drafted = draft.get(declaration.definition.ref);
    return completable(
      registry,
      declaration,
      tools.problems,
      drafted && 'completers' in drafted ? drafted : undefined,
    );
  });
  if (tools.problems.length > 0) return;
  for (const entry of draft.values()) {
    if ('completers' in entry) takeOverCompletions(registry, entry, tools);
    collectionOf(registry, entry).set(entry);
  }
  completions.forEach((declaration, index) => {
    const entry = completed[index];
    if (!entry) return;
    addCompletion(registry, entry, declaration, tools);
    // What the server offers has changed.
    collectionOf(registry, entry).set(entry);
  });
}

/** Forgets the source of completions for an argument. @returns whether there was one. */
export function removeCompletion(registry: Registry, ref: string, argument: string): boolean {
  const held = registry.completions.get(ref) ?? [];
  const kept = held.filter(({ definition }) => definition.argument !== argument);
  registry.completions.set(ref, kept);
  const entry = registry.prompts.get(ref) ?? registry.templates.get(ref);
  if (entry && (entry.completers as Map<string, Completer>).delete(argument))
    collectionOf(registry, entry).set(entry);
  return kept.length < held.length;
}

/** Compiles one declaration. `undefined` for completions, which are part of what they complete. */
function compileEntry(declaration: Declaration, tools: BuildTools): Entry | undefined {
  if (isKind(declaration, 'tool')) return buildTool(declaration, tools);
  if (isKind(declaration, 'prompt')) return buildPrompt(declaration, tools);
  return isKind(declaration, 'resource') ? buildResource(declaration, tools) : undefined;
}

function collectionOf(registry: Registry, { kind }: Entry): Collection<Entry> {
  const collections = {
    tool: registry.tools,
    prompt: registry.prompts,
    resource: registry.resources,
    template: registry.templates,
  };
  return collections[kind] as unknown as Collection<Entry>;
}

function isKind<K extends HandlerDefinition['kind']>(
  declaration: Declaration,
  kind: K,
): declaration is Declaration<Extract<HandlerDefinition, { kind: K }>> {
  return declaration.definition.kind === kind;
}

function add(collection: Collection<Entry>, entry: Entry, problems: DefinitionProblem[]): void {
  const holder = collection.get(entry.key);
  if (holder) problems.push(duplicate(entry, holder));
  else collection.set(entry);
}

function duplicate(entry: Entry, holder: Entry): DefinitionProblem {
  return {
    code: 'SIGIL_DUPLICATE_NAME',
    where: entry.where,
    what: `the ${entry.kind} '${entry.key}' is already defined by ${holder.where}`,
    fix:
      entry.kind === 'tool' || entry.kind === 'prompt'
        ? 'rename one of them with { name }'
        : 'change one of the URIs',
  };
}

/** What a completion completes; a problem when it is not there, or has no such argument. */
function completable(
  registry: Registry,
  { definition: { ref, argument }, where }: Declaration<CompletionDefinition>,
  problems: DefinitionProblem[],
  drafted?: Completable,
): Completable | undefined {
  const entry = drafted ?? registry.prompts.get(ref) ?? registry.templates.get(ref);
  const names = entry ? argumentsOf(entry) : [];
  if (entry && names.includes(argument)) return entry;
  problems.push({
    code: 'SIGIL_UNKNOWN_COMPLETION',
    where,
    what: entry
      ? `'${ref}' has no argument '${argument}'`
      : `there is no prompt or resource template '${ref}'`,
    fix: entry
      ? `complete one of its arguments: ${names.join(', ') || 'it has none'}`
      : 'write the name of a prompt, or the URI template exactly as in @Resource',
  });
  return undefined;
}

function addCompletion(
  registry: Registry,
  entry: Completable,
  declaration: Declaration<CompletionDefinition>,
  tools: BuildTools,
): void {
  const { ref, argument } = declaration.definition;
  const others = (registry.completions.get(ref) ?? []).filter(
    ({ definition }) => definition.argument !== argument,
  );
  registry.completions.set(ref, [...others, declaration]);
  attach(entry, declaration, tools);
}

function completionOf(
  registry: Registry,
  { definition: { ref, argument } }: Declaration<CompletionDefinition>,
): Declaration<CompletionDefinition> | undefined {
  return registry.completions.get(ref)?.find(({ definition }) => definition.argument === argument);
}

function duplicateCompletion(
  { definition: { ref, argument }, where }: Declaration<CompletionDefinition>,
  holder: Declaration<CompletionDefinition>,
): DefinitionProblem {
  return {
    code: 'SIGIL_DUPLICATE_NAME',
    where,
    what: `${holder.where} completes the argument '${argument}' of '${ref}' already`,
    fix: 'take one of them away',
  };
}

function takeOverCompletions(registry: Registry, entry: Completable, tools: BuildTools): void {
  const names = argumentsOf(entry);
  for (const declaration of registry.completions.get(entry.key) ?? [])
    if (names.includes(declaration.definition.argument)) attach(entry, declaration, tools);
}

function attach(
  entry: Completable,
  declaration: Declaration<CompletionDefinition>,
  { compile }: BuildTools,
): void {
  const gate = compile.gate(declaration, entry.info);
  const run = compile.completion(declaration, entry.info);
  const completer: Completer = { run, ...(gate ? { gate } : {}) };
  (entry.completers as Map<string, Completer>).set(declaration.definition.argument, completer);
}

function argumentsOf(entry: Completable): readonly string[] {
  if (entry.kind === 'prompt') return (entry.descriptor.arguments ?? []).map(({ name }) => name);
  return parseUriTemplate(entry.key).variables;
}
