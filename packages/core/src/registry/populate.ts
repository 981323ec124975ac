import type { Diagnostics } from '../errors/errors.js';
import type { Declaration } from '../invoke/declaration.js';
import type { CompletionDefinition } from '../metadata/definitions.js';
import { parseUriTemplate } from '../protocol/uri-template/parse.js';
import { buildEntry, type BuildTools, isKind } from './build.js';
import type { Completers, Entry, FindResource, PromptEntry, TemplateEntry } from './entry.js';
import { type Collection, Registry } from './registry.js';

/** A definition that can have completions. */
type Completable = PromptEntry | TemplateEntry;
type Completion = Declaration<CompletionDefinition>;

/**
 * Compiles declarations and adds them to a registry. If there are problems, no declaration is added to the registry,
 * and the problems are added to `tools.diagnostics`. If a prompt or template was removed and is added again, it gets
 * its earlier completions. A new completion replaces an earlier completion for the same argument.
 */
export function populate(registry: Registry, declarations: readonly Declaration[], tools: BuildTools): void {
  const { diagnostics } = tools;
  const draft = new Registry();
  for (const declaration of declarations) {
    const entry = buildEntry(declaration, tools);
    if (!entry) continue;
    const drafted = collectionOf(draft, entry);
    const holder = collectionOf(registry, entry).get(entry.key) ?? drafted.get(entry.key);
    if (holder) refuseDuplicate(entry, holder, diagnostics);
    else drafted.set(entry);
  }
  const completed = new Set<Completable>();
  for (const declaration of declarations) {
    if (!isKind(declaration, 'completion')) continue;
    const entry = completable([draft, registry], declaration, diagnostics.at(declaration.where));
    if (entry) completed.add(entry);
    if (entry) addCompletion(draft, declaration, diagnostics.at(declaration.where));
  }
  const entries: Entry[] = [...draft.tools, ...draft.prompts, ...draft.resources, ...draft.templates];
  const find: FindResource = (uri) => (draft.resolveUri(uri) ?? registry.resolveUri(uri))?.entry.info;
  for (const { info } of entries)
    diagnostics.report(tools.hooks.flatMap((hook) => hook.check?.(info, find) ?? []));
  if (diagnostics.problems.length > 0) return;
  for (const [ref, added] of draft.completions)
    registry.completions.set(ref, new Map([...(registry.completions.get(ref) ?? []), ...added]));
  // An existing entry is set again as well, because the capabilities have changed.
  for (const entry of new Set([...entries, ...completed]))
    collectionOf(registry, entry).set(withCompleters(entry, registry, tools));
}

/** Removes the source of completions for an argument. @returns whether the argument had a source of completions. */
export function removeCompletion(registry: Registry, ref: string, argument: string): boolean {
  const held = registry.completions.get(ref);
  if (!held?.has(argument)) return false;
  registry.completions.set(ref, new Map([...held].filter(([name]) => name !== argument)));
  const entry = completableIn(registry, ref);
  if (entry && Object.hasOwn(entry.completers, argument)) {
    const { [argument]: _, ...completers } = entry.completers;
    collectionOf(registry, entry).set(completing(entry, completers));
  }
  return true;
}

function collectionOf(registry: Registry, { kind }: Entry): Collection<Entry> {
  const collections = {
    tool: registry.tools,
    prompt: registry.prompts,
    resource: registry.resources,
    template: registry.templates,
  };
  return collections[kind];
}

function refuseDuplicate(entry: Entry, holder: Entry, diagnostics: Diagnostics): void {
  const isNamed = entry.kind === 'tool' || entry.kind === 'prompt';
  const what = `the ${entry.kind} '${entry.key}' is already defined by ${holder.where}`;
  const fix = isNamed ? 'rename one of them with { name }' : 'change one of the URIs';
  diagnostics.at(entry.where).add('SIGIL_DUPLICATE_NAME', what, fix);
}

function completableIn(registry: Registry, ref: string): Completable | undefined {
  return registry.prompts.get(ref) ?? registry.templates.get(ref);
}

/**
 * Returns the prompt or template of a completion. Reports a problem if it does not exist, or does not have
 * the argument.
 */
function completable(
  registries: readonly Registry[],
  { definition: { ref, argument } }: Completion,
  at: Diagnostics,
): Completable | undefined {
  const [entry] = registries.flatMap((registry) => completableIn(registry, ref) ?? []);
  if (!entry) {
    const fix = 'write the name of a prompt, or the URI template exactly as in @Resource';
    at.add('SIGIL_UNKNOWN_COMPLETION', `there is no prompt or resource template '${ref}'`, fix);
    return undefined;
  }
  const names = argumentsOf(entry);
  if (names.includes(argument)) return entry;
  const fix =
    names.length > 0
      ? `complete one of its arguments: ${names.join(', ')}`
      : 'remove the completion: there are no arguments to complete';
  at.add('SIGIL_UNKNOWN_COMPLETION', `'${ref}' has no argument '${argument}'`, fix);
  return undefined;
}

function addCompletion(draft: Registry, declaration: Completion, at: Diagnostics): void {
  const { ref, argument } = declaration.definition;
  const added = draft.completions.get(ref) ?? new Map<string, Completion>();
  const holder = added.get(argument);
  if (holder) {
    const what = `${holder.where} already completes the argument '${argument}' of '${ref}'`;
    at.add('SIGIL_DUPLICATE_NAME', what, 'remove one of them');
  }
  draft.completions.set(ref, new Map([...added, [argument, declaration]]));
}

/** Returns an entry with all sources of completions for its arguments. */
function withCompleters(entry: Entry, { completions }: Registry, { handlers }: BuildTools): Entry {
  const sources = completions.get(entry.key);
  if (!('completers' in entry) || !sources) return entry;
  const names = argumentsOf(entry);
  const own = [...sources].filter(([argument]) => names.includes(argument));
  return completing(
    entry,
    Object.fromEntries(
      own.map(([argument, declaration]) => [argument, handlers.completion(declaration, entry.info)]),
    ),
  );
}

function completing(entry: Completable, completers: Completers): Completable {
  return Object.freeze({ ...entry, completers: Object.freeze(completers) });
}

function argumentsOf(entry: Completable): readonly string[] {
  if (entry.kind === 'prompt') return (entry.descriptor.arguments ?? []).map(({ name }) => name);
  return parseUriTemplate(entry.key).variables;
}
