import { listed } from '../../context/call.js';
import { RawJson } from '../../protocol/json.js';
import type { CacheHint } from '../../protocol/results.js';
import { decodeCursor, encodeCursor } from '../../transport/pages.js';
import type { Collection, Position } from '../../registry/registry.js';
import type { Entry } from '../../registry/entry.js';
import type { EngineCall } from '../engine-call.js';
import type { Exchange, MethodHandler } from '../exchange.js';
import type { MethodResult } from '../response.js';
import type { Revision } from '../revisions/index.js';

/** The parts of a list method. */
interface ListParts<E extends Entry> {
  readonly collection: Collection<E>;
  /** The member of the result that holds the entries, such as `tools`. */
  readonly key: string;
  readonly pageSize: number | undefined;
  /** How clients may cache a page that is the same for all callers. */
  readonly hint: CacheHint;
  /** Returns the descriptor as clients of a revision see it. */
  readonly describe: (entry: E, revision: Revision) => object;
  /** Whether clients of a revision see an entry; if absent, they see every entry. */
  readonly shows?: (entry: E, revision: Revision) => boolean;
}

/**
 * A page, or the beginning of a page. It contains entries as JSON, and the cursor of the next page, if a next page
 * exists.
 */
export interface ListPage {
  readonly written: readonly string[];
  readonly nextCursor?: string | undefined;
}

/**
 * The last part of a list, after the registered entries. Functions of the app's author return these entries anew for
 * each request.
 */
export interface ListTail {
  /** Whether the list can have entries after the registered entries. */
  readonly isThere: boolean;
  /** Whether a cursor points to an entry after the registered entries. */
  holds(cursor: unknown): boolean;
  /**
   * Returns the page that begins at a cursor. If `holds` returns `false` for the cursor, the page begins with the first
   * entry after the registered entries.
   *
   * @param room maximum number of entries on the page.
   */
  page(exchange: Exchange, cursor: unknown, room: number): Promise<ListPage>;
}

/**
 * Creates the method for one kind of list. The method returns the page after a cursor.
 *
 * @param tail the entries that follow the registered entries; absent if no entries follow.
 */
export function listMethod<E extends Entry>(parts: ListParts<E>, tail?: ListTail): MethodHandler {
  const { hint, key, pageSize = Infinity } = parts;
  const views = new Map<Revision, ListView<E>>();
  /** The hint for lists that differ between callers, whatever the author has set. */
  const privateHint: CacheHint = { ...hint, cacheScope: 'private' };
  const viewFor = (revision: Revision): ListView<E> => {
    const view = views.get(revision) ?? new ListView(parts, revision);
    views.set(revision, view);
    return view;
  };
  const withTail = async (exchange: Exchange, cursor: unknown, shown: ListTail): Promise<MethodResult> => {
    const isInTail = shown.holds(cursor);
    const { call } = exchange;
    const own = isInTail ? EMPTY : await viewFor(call.revision).visible(decodeCursor(cursor), call);
    const { written, nextCursor } =
      own.nextCursor === undefined
        ? await shown.page(exchange, isInTail ? cursor : undefined, pageSize - own.written.length)
        : { written: [], nextCursor: own.nextCursor };
    const page = { written: [...own.written, ...written], nextCursor };
    return { result: rawPage(key, page), cache: privateHint };
  };
  return (exchange, { cursor }) => {
    if (tail?.isThere) return withTail(exchange, cursor, tail);
    const { call } = exchange;
    // A cursor names a place in the order of additions, so it remains valid when entries are added or removed.
    const start: Position = decodeCursor(cursor);
    const view = viewFor(call.revision);
    if (!view.isGuarded) return { result: view.page(start), cache: hint };
    return view.visible(start, call).then((page) => ({ result: rawPage(key, page), cache: privateHint }));
  };
}

const EMPTY: ListPage = { written: [] };

/**
 * One kind of list, for clients of one revision. Each entry is serialised once. Pages that are the same for all callers
 * are also serialised once.
 */
export class ListView<E extends Entry> {
  readonly #json = new WeakMap<E, string>();
  readonly #pages = new Map<Position, RawJson>();
  /** The start positions of the pages, counted from the first page. */
  readonly #starts = new Set<Position>([0]);
  #version = -1;
  #isGuarded = false;

  constructor(
    private readonly parts: ListParts<E>,
    private readonly revision: Revision,
  ) {}

  /** Whether the visible entries depend on the caller. */
  get isGuarded(): boolean {
    this.#refresh();
    return this.#isGuarded;
  }

  /** Returns the page after a position. Call this method only if the list is the same for all callers. */
  page(start: Position): RawJson {
    this.#refresh();
    const known = this.#pages.get(start);
    if (known !== undefined) return known;
    const isStart = this.#starts.has(start);
    const { next, ...written } = this.#write(this.after(start));
    const page = rawPage(this.parts.key, written);
    // Anybody can invent cursors. Pages that start at every position would store the list many times.
    if (isStart) this.#pages.set(start, page);
    if (isStart && next !== undefined) this.#starts.add(next);
    return page;
  }

  /** Returns the page after a position, with only the entries that the caller may see. */
  async visible(start: Position, call: EngineCall): Promise<ListPage> {
    if (!this.isGuarded) return this.#write(this.after(start));
    const { pageSize = Infinity } = this.parts;
    let visible: (readonly [Position, E])[] = [];
    let held: (readonly [Position, E])[] = [];
    // Guards run concurrently, for as many entries as may fill the page, so that a slow guard does not delay the
    // others.
    const ask = async (): Promise<void> => {
      const failed = new Map<string, unknown>();
      const answers = await Promise.all(
        held.map(async ([, { guardCheck, where }]) => {
          try {
            return (await guardCheck?.(call)) ?? true;
          } catch (error) {
            failed.set(where, error);
            return false;
          }
        }),
      );
      // Without these entries, the list would only look shorter, and clients cache lists.
      const [error] = failed.values();
      if (failed.size > 0) {
        call.where = listed([...failed.keys()]);
        throw error;
      }
      visible = visible.concat(held.filter((_, index) => answers[index] === true));
      held = [];
    };
    for (const entry of this.after(start)) {
      held.push(entry);
      if (visible.length + held.length <= pageSize) continue;
      await ask();
      if (visible.length > pageSize) break;
    }
    await ask();
    return this.#write(visible);
  }

  /** Returns the entries that clients of the revision can see, beginning after a position. */
  *after(start: Position): Generator<readonly [Position, E]> {
    const { collection, shows } = this.parts;
    for (const held of collection.after(start)) if (shows?.(held[1], this.revision) ?? true) yield held;
  }

  /**
   * Writes as many entries as a page has room for.
   * @returns the entries, and the position that the next page begins after.
   */
  #write(entries: Iterable<readonly [Position, E]>): ListPage & { readonly next?: Position } {
    const written: string[] = [];
    let last: Position = 0;
    for (const [position, entry] of entries) {
      if (written.length === this.parts.pageSize)
        return { written, next: last, nextCursor: encodeCursor(last) };
      written.push(this.#jsonOf(entry));
      last = position;
    }
    return { written };
  }

  #jsonOf(entry: E): string {
    const json = this.#json.get(entry) ?? JSON.stringify(this.parts.describe(entry, this.revision));
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
    this.#isGuarded = [...collection].some((entry) => entry.guardCheck);
  }
}

/** A page as the result of a list. */
function rawPage(key: string, { written, nextCursor }: ListPage): RawJson {
  const next = nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(nextCursor)}`;
  const members = `"${key}":[${written.join(',')}]${next}`;
  return new RawJson(members, () => JSON.parse(`{${members}}`) as Record<string, unknown>);
}
