import { type Listed, type Listing, MOST_OF_A_PAGE } from '../../invoke/listing.js';
import { lacksScopes } from '../../protocol/principal.js';
import type { TemplateEntry } from '../../registry/entry.js';
import type { Position, Registry } from '../../registry/registry.js';
import type { EngineCall } from '../engine-call.js';
import type { Exchange } from '../exchange.js';
import type { ListPage, ListTail } from './list.js';

/** Maximum number of templates' resources on one page, if the app sets no size. */
const MOST_ON_A_PAGE = 1000;

/** The start of a page: a template, and a position in its list. */
interface Place {
  readonly position: Position;
  /** The `nextCursor` from the author; absent at the beginning. */
  readonly cursor?: string;
  /** How many resources after the cursor were already on earlier pages. */
  readonly skipped: number;
}

const BEGINNING: Place = { position: 0, skipped: 0 };

/**
 * Lists the resources of templates, after the resources with a fixed URI. One request calls the list function of each
 * template at most once. A function ends the page for the client if it returns a cursor, or more resources than fit on
 * the page. The functions of later templates are then not called for this page.
 */
export class TemplateLists implements ListTail {
  #version = -1;
  #isThere = false;

  /** @param timeoutMs the default time limit of lists; see `Exchange.limited`. */
  constructor(
    private readonly registry: Registry,
    private readonly timeoutMs: number | false | undefined,
  ) {}

  get isThere(): boolean {
    const { templates } = this.registry;
    if (templates.version !== this.#version) {
      this.#version = templates.version;
      this.#isThere = [...templates].some(({ list }) => list !== undefined);
    }
    return this.#isThere;
  }

  holds(cursor: unknown): boolean {
    return decodePlace(cursor) !== undefined;
  }

  async page(exchange: Exchange, cursor: unknown, room: number): Promise<ListPage> {
    const { call } = exchange;
    const most = Math.min(room, MOST_ON_A_PAGE);
    const start = decodePlace(cursor) ?? BEGINNING;
    const written: string[] = [];
    for (const [position, entry] of this.registry.templates.after(start.position - 1)) {
      const place = position === start.position ? start : { position, skipped: 0 };
      if (!entry.list || !(await mayList(call, entry))) continue;
      if (written.length >= most) return { written, nextCursor: encodePlace(place) };
      const limit = place.skipped + most - written.length;
      const { cursor: from } = place;
      const request = { ...(from === undefined ? {} : { cursor: from }), limit };
      const { resources, nextCursor, isCut } = await this.#ask(exchange, entry, entry.list, request);
      for (const { descriptor } of await this.#visible(call, entry, resources.slice(place.skipped)))
        written.push(JSON.stringify(call.revision.resource(descriptor)));
      if (isCut) return { written, nextCursor: encodePlace({ ...place, skipped: limit }) };
      if (nextCursor !== undefined)
        return { written, nextCursor: encodePlace({ position, cursor: nextCursor, skipped: 0 }) };
    }
    return { written };
  }

  async #ask(
    exchange: Exchange,
    { where, timeoutMs = this.timeoutMs }: TemplateEntry,
    { run }: NonNullable<TemplateEntry['list']>,
    request: Readonly<Record<string, unknown>>,
  ): Promise<Listing> {
    const { call } = exchange;
    call.where = where;
    // Each list gets its own context, which names its template.
    call.currentContext = undefined;
    return run<Listing>(call, request, {
      // The guards of the template have already run.
      refuse: () => ({ resources: [], isCut: false }),
      answer: (listing) => listing,
      limited: (work) => exchange.limited(work, timeoutMs),
      enter: (go) => go(),
    });
  }

  /**
   * Returns the resources of a template that a caller may read. Leaves out resources that another definition
   * serves.
   */
  async #visible(call: EngineCall, entry: TemplateEntry, resources: readonly Listed[]): Promise<Listed[]> {
    const own = resources.filter(
      ({ descriptor: { uri } }) => this.registry.resolveUri(uri)?.entry.key === entry.key,
    );
    const shown = await Promise.all(own.map(async (resource) => entry.list?.shows(call, resource)));
    return own.filter((_, index) => shown[index] === true);
  }
}

/** Whether a caller may see resources of a template. */
async function mayList(call: EngineCall, { where, list, guardCheck }: TemplateEntry): Promise<boolean> {
  call.where = where;
  return ((await guardCheck?.(call)) ?? true) && !lacksScopes(call.principal, list?.scopes ?? []);
}

function encodePlace({ position, skipped, cursor = '' }: Place): string {
  return btoa(`list:${position}:${skipped}:${encodeURIComponent(cursor)}`);
}

const PLACE = /^list:([1-9][0-9]{0,14}):([0-9]{1,6}):(.*)$/;

/**
 * Reads a cursor into the list of a template.
 *
 * @returns `undefined` for any other cursor.
 */
function decodePlace(cursor: unknown): Place | undefined {
  try {
    const [, position, skipped, from = ''] = PLACE.exec(typeof cursor === 'string' ? atob(cursor) : '') ?? [];
    if (position === undefined || Number(skipped) > MOST_OF_A_PAGE) return undefined;
    const own = from === '' ? {} : { cursor: decodeURIComponent(from) };
    return { position: Number(position), skipped: Number(skipped), ...own };
  } catch {
    return undefined;
  }
}
