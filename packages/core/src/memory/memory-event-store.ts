import type { EventStore, StoredEvent, StreamName, StreamRest } from '../backend/backend.js';
import { unref } from '../transport/deadlines.js';
import { OptionChecks } from '../transport/option-checks.js';

/**
 * Limits of a `MemoryEventStore`. An event is one stored message of a stream. When a limit is exceeded, the store drops
 * the oldest events that this limit counts.
 */
export interface MemoryEventStoreOptions {
  /**
   * Maximum number of events in one stream.
   *
   * @default 1,000
   */
  readonly maxEventsPerStream?: number;
  /**
   * Maximum total size of the stored events of one session, in bytes of memory. A single message that is larger is not
   * stored.
   *
   * @default 8 MiB
   */
  readonly maxBytesPerSession?: number;
  /**
   * Maximum total size of the stored events of all sessions, in bytes of memory.
   *
   * @default 64 MiB
   */
  readonly maxBytes?: number;
  /**
   * How long an event is kept, in milliseconds.
   *
   * @default 5 minutes
   */
  readonly maxAgeMs?: number;
}

interface KeptSession {
  readonly name: string;
  readonly events: LinkedQueue<KeptEvent>;
  readonly streams: Map<string, LinkedQueue<KeptEvent>>;
  /** Ended streams that still have events. */
  readonly ended: Set<string>;
  bytes: number;
  /** The number of the last event. Ids are never reused, even after their events are gone. */
  last: number;
}

interface KeptEvent {
  readonly session: KeptSession;
  readonly stream: string;
  readonly position: number;
  readonly message: string;
  readonly bytes: number;
  readonly expires: number;
  readonly nodes: readonly (readonly [LinkedQueue<KeptEvent>, QueueNode<KeptEvent>])[];
}

/** Memory of an event besides its message, in bytes: a measurement, rounded up. */
const OVERHEAD_BYTES = 400;
/** Stream names up to this length, in characters, are covered by the overhead and are not counted. */
const SHORT_NAME = 64;

/**
 * Keeps events in the memory of this process, up to the limits in the options. The events are lost when the process
 * ends.
 *
 * @example
 * ```ts
 * const store = new MemoryEventStore({ maxAgeMs: 60_000 });
 * await app.run(http({ streams: { store } }));
 * ```
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 */
export class MemoryEventStore implements EventStore {
  readonly #limits: Required<MemoryEventStoreOptions>;
  readonly #sessions = new Map<string, KeptSession>();
  readonly #events = new LinkedQueue<KeptEvent>();
  #bytes = 0;
  #sweep: ReturnType<typeof setInterval> | undefined;

  /**
   * @param limits how much is stored.
   * @throws DefinitionError if a limit is not a positive integer.
   */
  constructor(limits: MemoryEventStoreOptions = {}) {
    this.#limits = {
      maxEventsPerStream: limits.maxEventsPerStream ?? 1_000,
      maxBytesPerSession: limits.maxBytesPerSession ?? 8 * 1024 * 1024,
      maxBytes: limits.maxBytes ?? 64 * 1024 * 1024,
      maxAgeMs: limits.maxAgeMs ?? 5 * 60_000,
    };
    OptionChecks.limits('MemoryEventStore', limits, this.#limits);
  }

  /** The number of stored events. */
  get size(): number {
    return this.#events.size;
  }

  /**
   * The total size of all stored events in bytes, as the limits count it. Messages and long stream names count two
   * bytes per character, and each event has a fixed overhead.
   */
  get bytes(): number {
    return this.#bytes;
  }

  append({ session: name, stream }: StreamName, message: string, ends = false): string | undefined {
    const session = this.#sessionOf(name);
    if (session.ended.has(stream)) return undefined;
    const id = this.#append(session, stream, message);
    if (ends) this.end({ session: name, stream });
    return id;
  }

  #append(session: KeptSession, stream: string, message: string): string {
    const position = ++session.last;
    const bytes = OVERHEAD_BYTES + 2 * message.length;
    const { maxBytesPerSession, maxBytes, maxEventsPerStream } = this.#limits;
    const alone = bytes + nameBytes(stream);
    // An event that is too large by itself is dropped, instead of all others.
    if (alone > maxBytesPerSession || alone > maxBytes) return String(position);
    const events = this.#keep({ session, stream, position, message, bytes });
    if (events.size > maxEventsPerStream) this.#drop(events.oldest);
    while (session.bytes > maxBytesPerSession) this.#drop(session.events.oldest);
    while (this.#bytes > maxBytes) this.#drop(this.#events.oldest);
    return String(position);
  }

  end({ session: name, stream }: StreamName): void {
    const session = this.#sessions.get(name);
    if (session?.streams.has(stream)) session.ended.add(stream);
  }

  after({ session: name, stream }: StreamName, id?: string): StreamRest {
    const session = this.#sessions.get(name);
    const events = session?.streams.get(stream);
    const from = id === undefined ? 0 : readPosition(id);
    const ended = session?.ended.has(stream) ?? false;
    if (!session || !events || from === undefined || from > session.last) return { events: [], ended };
    this.#expire();
    const found: StoredEvent[] = [];
    for (const { position, message } of events) {
      if (position > from) found.push({ id: String(position), message });
    }
    return { events: found, ended };
  }

  forget(name: string, stream?: string): void {
    const session = this.#sessions.get(name);
    if (!session) return;
    for (const event of (stream === undefined ? session.events : session.streams.get(stream)) ?? [])
      this.#drop(event);
    if (stream === undefined) this.#sessions.delete(name);
  }

  #sessionOf(name: string): KeptSession {
    let session = this.#sessions.get(name);
    if (session) return session;
    session = { name, events: new LinkedQueue(), streams: new Map(), ended: new Set(), bytes: 0, last: 0 };
    this.#sessions.set(name, session);
    return session;
  }

  /** Stores an event. @returns the events of its stream. */
  #keep(event: Omit<KeptEvent, 'expires' | 'nodes'>): LinkedQueue<KeptEvent> {
    const { session, stream, bytes } = event;
    let ofStream = session.streams.get(stream);
    if (!ofStream) {
      session.streams.set(stream, (ofStream = new LinkedQueue()));
      this.#count(session, nameBytes(stream));
    }
    const nodes: [LinkedQueue<KeptEvent>, QueueNode<KeptEvent>][] = [];
    const kept: KeptEvent = { ...event, expires: Date.now() + this.#limits.maxAgeMs, nodes };
    for (const queue of [this.#events, session.events, ofStream]) nodes.push([queue, queue.add(kept)]);
    this.#count(session, bytes);
    if (this.#sweep === undefined) {
      this.#sweep = setInterval(() => this.#expire(), Math.min(this.#limits.maxAgeMs, 30_000));
      unref(this.#sweep);
    }
    return ofStream;
  }

  #drop(event: KeptEvent | undefined): void {
    if (!event) return;
    const { session, stream, bytes } = event;
    for (const [queue, node] of event.nodes) queue.remove(node);
    if (session.streams.get(stream)?.size === 0) {
      session.streams.delete(stream);
      session.ended.delete(stream);
      this.#count(session, -nameBytes(stream));
    }
    this.#count(session, -bytes);
    if (this.#events.size > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }

  #count(session: KeptSession, bytes: number): void {
    session.bytes += bytes;
    this.#bytes += bytes;
  }

  #expire(): void {
    const now = Date.now();
    for (let event = this.#events.oldest; event && event.expires <= now; event = this.#events.oldest)
      this.#drop(event);
  }
}

/**
 * Counts the bytes of a long stream name. A name may contain many scopes, which are needed to resume the
 * stream; the overhead of an event covers short names.
 */
function nameBytes(stream: string): number {
  return 2 * Math.max(0, stream.length - SHORT_NAME);
}

function readPosition(id: string): number | undefined {
  return /^[1-9]\d{0,15}$/.test(id) ? Number(id) : undefined;
}

/** A value in a queue. */
interface QueueNode<T> {
  readonly value: T;
  older: QueueNode<T> | undefined;
  newer: QueueNode<T> | undefined;
}

/** A queue that removes its oldest value, or any value by its node, in constant time. */
class LinkedQueue<T> {
  #oldest: QueueNode<T> | undefined;
  #newest: QueueNode<T> | undefined;
  #size = 0;

  get oldest(): T | undefined {
    return this.#oldest?.value;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a value at the end. @returns its node, for `remove`. */
  add(value: T): QueueNode<T> {
    const node: QueueNode<T> = { value, older: this.#newest, newer: undefined };
    if (this.#newest) this.#newest.newer = node;
    else this.#oldest = node;
    this.#newest = node;
    this.#size += 1;
    return node;
  }

  /** Removes a value. The second call with the same node has no effect. */
  remove(node: QueueNode<T>): void {
    const { older, newer } = node;
    if (older) older.newer = newer;
    else this.#oldest = newer;
    if (newer) newer.older = older;
    else this.#newest = older;
    this.#size -= 1;
  }

  /** Returns the values, oldest first. */
  *[Symbol.iterator](): Generator<T, void, undefined> {
    for (let node = this.#oldest; node; node = node.newer) yield node.value;
  }
}
