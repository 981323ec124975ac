import type { CacheHint } from '../protocol/results.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';
import type { Collection, Position } from '../registry/collection.js';
import type { Entry } from '../registry/entry.js';
import type { ClientProfile, ClientProfiles } from './client-profiles.js';
import { decodeCursor } from './cursor.js';
import type { EngineCall } from './call.js';
import type { MethodResult } from './response.js';
import { ListView } from './list-view.js';
import type { Revision } from './revisions/index.js';

/** What a list is made of. */
export interface ListParts<E extends Entry> {
  readonly collection: Collection<E>;
  /** The member of the result that holds the entries, such as `tools`. */
  readonly key: string;
  readonly pageSize: number | undefined;
  /** How long, and for whom, clients may keep a page that is the same for everybody. */
  readonly hint: CacheHint;
  /** Gives the descriptor as clients of a revision, and of a profile if they have one, see it. */
  readonly describe: (entry: E, revision: Revision, profile: ClientProfile | undefined) => object;
  /** Whether clients of a revision are shown an entry; they are shown every entry unless given. */
  readonly shows?: (entry: E, revision: Revision) => boolean;
  /** The profiles of clients, where they matter. */
  readonly profiles?: ClientProfiles;
}

/** Serves one kind of list. */
export class List<E extends Entry> {
  readonly #views = new Map<Revision, Map<ClientProfile | undefined, ListView<E>>>();
  readonly #hint: CacheHint;
  /** For lists that differ by who asks, whatever their author says. */
  readonly #privateHint: CacheHint;

  constructor(private readonly parts: ListParts<E>) {
    const { hint, profiles } = parts;
    this.#privateHint = { ...hint, cacheScope: 'private' };
    this.#hint = profiles?.differ ? this.#privateHint : hint;
  }

  /**
   * Gives the page after a cursor.
   *
   * @throws ProtocolError (-32602) when the cursor is not one of ours.
   */
  page(call: EngineCall, cursor: unknown): MaybePromise<MethodResult> {
    const start = decodeCursor(cursor);
    const view = this.#viewFor(call);
    if (view.isGuarded) return this.#visiblePage(view, call, start);
    return { result: view.page(start), cache: this.#hint };
  }

  async #visiblePage(view: ListView<E>, call: EngineCall, start: Position): Promise<MethodResult> {
    const { pageSize = Infinity } = this.parts;
    let visible: (readonly [Position, E])[] = [];
    let held: (readonly [Position, E])[] = [];
    // Guards are asked side by side, of as many entries as may fill the page: one that takes its time holds up no other.
    const ask = async (): Promise<void> => {
      const answers = await Promise.all(held.map(async ([, { gate }]) => (await gate?.(call)) ?? true));
      visible = visible.concat(held.filter((_, index) => answers[index] === true));
      held = [];
    };
    for (const entry of view.after(start)) {
      held.push(entry);
      if (visible.length + held.length <= pageSize) continue;
      await ask();
      if (visible.length > pageSize) break;
    }
    await ask();
    return { result: view.write(visible), cache: this.#privateHint };
  }

  #viewFor({ revision, client }: EngineCall): ListView<E> {
    const profile = this.parts.profiles?.of(client.info);
    const views = this.#views.get(revision) ?? new Map<ClientProfile | undefined, ListView<E>>();
    this.#views.set(revision, views);
    const known = views.get(profile);
    if (known) return known;
    const { collection, key, pageSize, describe, shows } = this.parts;
    const view = new ListView({
      collection,
      key,
      pageSize,
      describe: (entry: E) => describe(entry, revision, profile),
      shows: (entry: E) => shows?.(entry, revision) ?? true,
    });
    views.set(profile, view);
    return view;
  }
}
