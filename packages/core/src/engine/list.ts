import { isPromise, type MaybePromise } from '../protocol/maybe-promise.js';
import type { Collection, Position } from '../registry/collection.js';
import type { Entry } from '../registry/entry.js';
import type { CacheHint } from '../protocol/cache-hint.js';
import type { Exchange } from './exchange.js';
import { decodeCursor, encodeCursor } from './cursor.js';
import type { Revision } from './revisions/index.js';

interface Rendered {
  /** The version of the collection this was rendered from. */
  version: number;
  /** Whether every caller sees the same. */
  isPublic: boolean;
  readonly pages: Map<Position, string>;
}

/** Serves one kind of list. Pages that are the same for everybody are serialised once a revision. */
export class List<E extends Entry> {
  readonly #rendered = new Map<Revision, Rendered>();
  readonly #json = new WeakMap<Revision, WeakMap<E, string>>();
  /** For lists that differ by who asks, whatever their author says. */
  readonly #privateHint: CacheHint;

  /**
   * @param key the member of the result that holds the entries, such as `tools`.
   * @param shape gives the descriptor as a revision shows it.
   * @param hint how long, and for whom, clients may keep a page that is the same for everybody.
   * @param shows whether a revision shows an entry; all show every entry unless given.
   */
  constructor(
    private readonly collection: Collection<E>,
    private readonly key: string,
    private readonly shape: (revision: Revision, entry: E) => object,
    private readonly pageSize: number | undefined,
    private readonly hint: CacheHint,
    private readonly shows?: (revision: Revision, entry: E) => boolean,
  ) {
    this.#privateHint = { ...hint, cacheScope: 'private' };
  }

  /**
   * Serialises the page after a cursor.
   *
   * @throws ProtocolError (-32602) when the cursor is not one of ours.
   */
  page(exchange: Exchange, cursor: unknown): MaybePromise<string> {
    const start = decodeCursor(cursor);
    const rendered = this.#renderedFor(exchange.revision);
    exchange.cache = rendered.isPublic ? this.hint : this.#privateHint;
    if (!rendered.isPublic) return this.#visiblePage(exchange, start);
    const known = rendered.pages.get(start);
    if (known !== undefined) return known;
    const page = this.#render(exchange.revision, this.#shown(exchange.revision, start));
    // Anybody can make up cursors; only pages that begin after an entry are worth keeping.
    if (start === 0 || this.collection.isPosition(start)) rendered.pages.set(start, page);
    return page;
  }

  async #visiblePage(exchange: Exchange, start: Position): Promise<string> {
    const visible: (readonly [Position, E])[] = [];
    for (const held of this.#shown(exchange.revision, start)) {
      const allowed = held[1].gate?.(exchange) ?? true;
      if (isPromise(allowed) ? await allowed : allowed) visible.push(held);
      if (this.pageSize !== undefined && visible.length > this.pageSize) break;
    }
    return this.#render(exchange.revision, visible);
  }

  *#shown(revision: Revision, start: Position): Generator<readonly [Position, E]> {
    for (const held of this.collection.after(start)) {
      if (this.shows?.(revision, held[1]) ?? true) yield held;
    }
  }

  #render(revision: Revision, entries: Iterable<readonly [Position, E]>): string {
    const parts: string[] = [];
    let last: Position = 0;
    for (const [position, entry] of entries) {
      if (parts.length === this.pageSize) {
        return `{"${this.key}":[${parts.join(',')}],"nextCursor":${JSON.stringify(encodeCursor(last))}}`;
      }
      parts.push(this.#jsonOf(revision, entry));
      last = position;
    }
    return `{"${this.key}":[${parts.join(',')}]}`;
  }

  #jsonOf(revision: Revision, entry: E): string {
    const known = this.#json.get(revision) ?? new WeakMap<E, string>();
    this.#json.set(revision, known);
    const json = known.get(entry) ?? JSON.stringify(this.shape(revision, entry));
    known.set(entry, json);
    return json;
  }

  #renderedFor(revision: Revision): Rendered {
    const known = this.#rendered.get(revision);
    if (known?.version === this.collection.version) return known;
    const isPublic = ![...this.collection].some((entry) => entry.gate);
    const fresh = { version: this.collection.version, isPublic, pages: new Map<Position, string>() };
    this.#rendered.set(revision, fresh);
    return fresh;
  }
}
