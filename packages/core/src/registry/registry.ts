import type { ListKind } from '../backend/change-bus.js';
import type { Declaration } from '../invoke/declaration.js';
import type { CompletionDefinition } from '../metadata/definitions.js';
import type { Entry, PromptEntry, ResourceEntry, TemplateEntry, ToolEntry } from './entry.js';

/**
 * The tools, prompts, resources and templates of a server. Each listener is called once for all changes of one kind in
 * the same tick. Resources and templates count as one kind.
 */
export class Registry {
  readonly tools: Collection<ToolEntry> = new Collection(() => this.#changed('tools'));
  readonly prompts: Collection<PromptEntry> = new Collection(() => this.#changed('prompts'));
  readonly resources: Collection<ResourceEntry> = new Collection(() => this.#changed('resources'));
  readonly templates: Collection<TemplateEntry> = new Collection(() => this.#changed('resources'));
  /**
   * The declared completions. The outer keys are prompt names and URI templates; the inner keys are argument names. If
   * a prompt or template is removed, its completions stay in this map. They apply again if the prompt or template is
   * added again.
   */
  readonly completions: Map<string, ReadonlyMap<string, Declaration<CompletionDefinition>>> = new Map();
  readonly #byHead = new TemplatesByHead(this.templates);
  readonly #listeners = new Set<(change: ListKind) => void>();
  readonly #pending = new Set<ListKind>();

  /** Adds a listener for changes. @returns a function that removes the listener. */
  onChange(listener: (change: ListKind) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Whether there has ever been a resource or a template. */
  get hasResources(): boolean {
    return this.resources.everUsed || this.templates.everUsed;
  }

  /** Whether there has ever been a source of completions. */
  get hasCompletions(): boolean {
    return this.completions.size > 0;
  }

  /**
   * Finds the entry that serves a URI: the resource with exactly this URI, otherwise the first template that
   * matches.
   */
  resolveUri(uri: string): ResolvedUri | undefined {
    const resource = this.resources.get(uri);
    if (resource) return { entry: resource, variables: {} };
    for (const entry of this.#byHead.of(uri)) {
      const variables = entry.match(uri);
      if (variables) return { entry, variables };
    }
    return undefined;
  }

  #changed(change: ListKind): void {
    // For the first listener, entries that were added before it are not a change.
    if (this.#listeners.size === 0) return;
    if (this.#pending.size === 0) queueMicrotask(() => this.#announce());
    this.#pending.add(change);
  }

  #announce(): void {
    const changes = [...this.#pending];
    this.#pending.clear();
    for (const change of changes) for (const listener of this.#listeners) listener(change);
  }
}

/** The entry that serves a URI, and the values that the URI has for the template's variables. */
export interface ResolvedUri {
  readonly entry: ResourceEntry | TemplateEntry;
  readonly variables: Record<string, string | string[]>;
}

/**
 * A number that orders the entries of a collection. Each added entry gets a higher number than all entries before it.
 * Numbers of removed entries are not reused.
 */
export type Position = number;

/** The entries of one kind, by key, in the order of addition. */
export class Collection<E extends Entry> {
  readonly #entries = new Map<string, { readonly entry: E; readonly position: Position }>();
  #next: Position = 1;
  #version = 0;

  constructor(private readonly changed: () => void) {}

  get size(): number {
    return this.#entries.size;
  }

  /**
   * Whether the collection has ever had an entry. If so, the server announces the capability for this kind of entry,
   * even if the collection is empty now.
   */
  get everUsed(): boolean {
    return this.#version > 0;
  }

  /** A number that changes whenever an entry is added or removed. */
  get version(): number {
    return this.#version;
  }

  /**
   * Adds an entry. An existing entry with the same key is replaced; the new entry then has the position of the old one.
   */
  set(entry: E): void {
    const position = this.#entries.get(entry.key)?.position ?? this.#next++;
    this.#entries.set(entry.key, { entry, position });
    this.#touch();
  }

  /** Removes an entry. @returns whether it existed. */
  delete(key: string): boolean {
    const held = this.#entries.get(key);
    if (!held) return false;
    this.#entries.delete(key);
    this.#touch();
    return true;
  }

  get(key: string): E | undefined {
    return this.#entries.get(key)?.entry;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** Yields each entry after a position, together with the position of that entry. */
  *after(position: Position): Generator<readonly [Position, E]> {
    for (const held of this.#entries.values())
      if (held.position > position) yield [held.position, held.entry];
  }

  *[Symbol.iterator](): Generator<E> {
    for (const held of this.#entries.values()) yield held.entry;
  }

  #touch(): void {
    this.#version++;
    this.changed();
  }
}

/**
 * Finds templates by the beginning of a URI. Apps may have many templates, and clients may ask about many
 * URIs at once.
 */
class TemplatesByHead {
  readonly #byHead = new Map<string, (readonly [Position, TemplateEntry])[]>();
  #lengths: readonly number[] = [];
  #version = 0;

  constructor(private readonly templates: Collection<TemplateEntry>) {}

  /** Returns the templates that may match a URI, in the order of addition. */
  of(uri: string): readonly TemplateEntry[] {
    this.#refresh();
    return this.#lengths
      .flatMap((length) => this.#byHead.get(uri.slice(0, length)) ?? [])
      .sort(([one], [other]) => one - other)
      .map(([, entry]) => entry);
  }

  #refresh(): void {
    if (this.#version === this.templates.version) return;
    this.#version = this.templates.version;
    this.#byHead.clear();
    for (const held of this.templates.after(0)) {
      const { head } = held[1];
      const others = this.#byHead.get(head);
      if (others) others.push(held);
      else this.#byHead.set(head, [held]);
    }
    this.#lengths = [...new Set([...this.#byHead.keys()].map(({ length }) => length))];
  }
}
