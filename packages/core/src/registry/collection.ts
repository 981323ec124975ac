import type { Entry } from './entry.js';

/** Where an entry stands in its collection; grows with every addition and is never reused. */
export type Position = number;

/** The entries of one kind, by key, in the order they were added. */
export class Collection<E extends Entry> {
  readonly #entries = new Map<string, { readonly entry: E; readonly position: Position }>();
  #next: Position = 1;
  #version = 0;

  constructor(private readonly changed: () => void) {}

  get size(): number {
    return this.#entries.size;
  }

  /** Whether there ever was an entry: a capability once announced is not taken back. */
  get everUsed(): boolean {
    return this.#version > 0;
  }

  /** Changes with every addition and removal. */
  get version(): number {
    return this.#version;
  }

  /** Adds an entry, or replaces the one with the same key, which keeps its place. */
  set(entry: E): void {
    const position = this.#entries.get(entry.key)?.position ?? this.#next++;
    this.#entries.set(entry.key, { entry: Object.freeze(entry), position });
    this.#touch();
  }

  /** @returns whether there was such an entry. */
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

  /** The entries after a position, with their own. */
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
