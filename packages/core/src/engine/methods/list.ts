import { RawJson } from '../../protocol/json.js';
import type { CacheHint } from '../../protocol/results.js';
import { decodeCursor, encodeCursor } from '../../transport/pages.js';
import type { Collection, Position } from '../../registry/registry.js';
import type { Entry } from '../../registry/entry.js';
import type { EngineCall } from '../engine-call.js';
import type { MethodHandler } from '../exchange.js';
import type { Revision } from '../revisions/index.js';

/** What a list is made of. */
interface ListParts<E extends Entry> {
  readonly collection: Collection<E>;
  /** The member of the result that holds the entries, such as `tools`. */
  readonly key: string;
  readonly pageSize: number | undefined;
  /** How long, and for whom, clients may keep a page that is the same for all. */
  readonly hint: CacheHint;
  /** Gives the descriptor as clients of a revision see it. */
  readonly describe: (entry: E, revision: Revision) => object;
  /** Whether clients of a revision are shown an entry; every entry when absent. */
  readonly shows?: (entry: E, revision: Revision) => boolean;
}

/** Makes the method of one kind of list, which gives the page after a cursor. */
export function listMethod<E extends Entry>(parts: ListParts<E>): MethodHandler {
  const { hint } = parts;
  const views = new Map<Revision, ListView<E>>();
  /** For lists that differ by who asks, whatever their author says. */
  const privateHint: CacheHint = { ...hint, cacheScope: 'private' };
  return ({ call }, { cursor }) => {
    // A cursor names a place in the order of additions, so it stays good when entries come and go.
    const start: Position = decodeCursor(cursor);
    const view = views.get(call.revision) ?? new ListView(parts, call.revision);
    views.set(call.revision, view);
    if (!view.isGuarded) return { result: view.page(start), cache: hint };
    return view.visiblePage(start, call).then((result) => ({ result, cache: privateHint }));
  };
}

/** One kind of list as clients of one kind see it. Entries, and pages that are the same for all, are serialised once. */
export class ListView<E extends Entry> {
  readonly #json = new WeakMap<E, string>();
  readonly #pages = new Map<Position, RawJson>();
  /** Where the pages begin that follow each other from the first. */
  readonly #starts = new Set<Position>([0]);
  #version = -1;
  #isGuarded = false;

  constructor(
    private readonly parts: ListParts<E>,
    private readonly revision: Revision,
  ) {}

  /** Whether what is seen depends on who asks. */
  get isGuarded(): boolean {
    this.#refresh();
    return this.#isGuarded;
  }

  /** The page after a position, when it is the same for all. */
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

  /** The page after a position, of what one caller may see. */
  async visiblePage(start: Position, call: EngineCall): Promise<RawJson> {
    const { pageSize = Infinity } = this.parts;
    let visible: (readonly [Position, E])[] = [];
    let held: (readonly [Position, E])[] = [];
    // Guards are asked side by side, of as many entries as may fill the page: one that takes its time holds up no other.
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
      // Without them the list would but look shorter, and clients keep lists.
      const [error] = failed.values();
      if (failed.size > 0) throw failing(call, [...failed.keys()], error);
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
    return this.write(visible);
  }

  /** The entries shown after a position. */
  *after(start: Position): Generator<readonly [Position, E]> {
    const { collection, shows } = this.parts;
    for (const held of collection.after(start)) if (shows?.(held[1], this.revision) ?? true) yield held;
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

/** Most definitions that a line of the log names. */
const MOST_NAMED = 20;

/** What a list fails with whose guards have failed for some definitions: one line of the log names them. */
function failing(call: EngineCall, names: readonly string[], error: unknown): unknown {
  const more = names.length > MOST_NAMED ? [`${names.length - MOST_NAMED} more`] : [];
  call.where = [...names.slice(0, MOST_NAMED), ...more].join(', ');
  return error;
}

function raw(members: string): RawJson {
  return new RawJson(members, () => JSON.parse(`{${members}}`) as Record<string, unknown>);
}
