import type { Collection, Position } from '../registry/collection.js';
import type { Entry } from '../registry/entry.js';
import { RawJson } from '../protocol/json.js';
import { encodeCursor } from './cursor.js';

/** What a view is made of. */
export interface ListViewParts<E extends Entry> {
  readonly collection: Collection<E>;
  /** The member of the result that holds the entries, such as `tools`. */
  readonly key: string;
  readonly pageSize: number | undefined;
  /** Gives the descriptor of an entry. */
  readonly describe: (entry: E) => object;
  /** Whether an entry is shown at all. */
  readonly shows: (entry: E) => boolean;
}

/** One kind of list as clients of one kind see it. Entries, and pages that are the same for all, are serialised once. */
export class ListView<E extends Entry> {
  readonly #json = new WeakMap<E, string>();
  readonly #pages = new Map<Position, RawJson>();
  /** Where the pages begin that follow each other from the first. */
  readonly #starts = new Set<Position>([0]);
  #version = -1;
  #isGuarded = false;

  constructor(private readonly parts: ListViewParts<E>) {}

  /** Whether what is seen depends on who asks. */
  get isGuarded(): boolean {
    this.#refresh();
    return this.#isGuarded;
  }

  /** The page after a position, when it is the same for everybody. */
  page(start: Position): RawJson {
    this.#refresh();
    const known = this.#pages.get(start);
    if (known !== undefined) return known;
    const isStart = this.#starts.has(start);
    const page = this.write(this.after(start), (next) => isStart && this.#starts.add(next));
    // Anybody can make up cursors, and pages from everywhere would be the list many times over.
    if (isStart) this.#pages.set(start, page);
    return page;
  }

  /** The entries shown after a position. */
  *after(start: Position): Generator<readonly [Position, E]> {
    for (const held of this.parts.collection.after(start)) if (this.parts.shows(held[1])) yield held;
  }

  /**
   * Writes a page of entries, as many as there is room for.
   *
   * @param more is told after which position the next page begins, if there is one.
   */
  write(entries: Iterable<readonly [Position, E]>, more?: (next: Position) => void): RawJson {
    const { key, pageSize } = this.parts;
    const written: string[] = [];
    let last: Position = 0;
    for (const [position, entry] of entries) {
      if (written.length === pageSize) {
        more?.(last);
        return raw(`"${key}":[${written.join(',')}],"nextCursor":${JSON.stringify(encodeCursor(last))}`);
      }
      written.push(this.#jsonOf(entry));
      last = position;
    }
    return raw(`"${key}":[${written.join(',')}]`);
  }

  #jsonOf(entry: E): string {
    const json = this.#json.get(entry) ?? JSON.stringify(this.parts.describe(entry));
    this.#json.set(entry, json);
    return json;
  }

  #refresh(): void {
    const { collection } = this.parts;
    if (collection.version === this.#version) return;
    this.#version = collection.version;
    this.#pages.clear();
    this.#starts.clear();
    this.#starts.add(0);
    this.#isGuarded = [...collection].some((entry) => entry.gate);
  }
}

function raw(members: string): RawJson {
  return new RawJson(members, () => JSON.parse(`{${members}}`) as Record<string, unknown>);
}
