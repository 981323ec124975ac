import type { MaybePromise } from '@sigil/core';
import { isObject, isPromise, within } from '@sigil/core/internal';
import {
  type Connection,
  type EndpointBackend,
  isRequestId,
  NOTIFICATIONS,
  type RequestId,
} from '@sigil/core/transport';

/** The kinds of messages that the processes of an app send to each other about sessions. */
export const ABOUT = {
  /** A client's answer to a request, or progress on it. The process that sent the request receives this message. */
  answer: 'answer',
  /** Confirms that the sender of this message has received an `answer` message. */
  received: 'received',
  /** A client has cancelled a request, which any of the processes can be serving. */
  cancelled: 'cancelled',
  /**
   * A message that belongs to no request. The process that serves the client's stream sends this message to the client;
   * see `Sink.deliver`.
   */
  notify: 'notify',
  /**
   * A client has opened or resumed a stream at the process that sends this message. With `retryMs`, the meaning is
   * different: the client must reconnect after this number of milliseconds.
   */
  resumed: 'resumed',
} as const;

type Message = Readonly<Record<string, unknown>>;

/** The members of a session that are needed to route messages between processes. */
export interface ReachedSession {
  readonly id: string;
  readonly connection: Connection;
  send(message: string): void;
  claimed(stream: string): void;
  movedAway(stream: string, retryMs?: number): void;
}

/** The outcome of a client's message. */
interface Forwarded {
  /** The part of the message for this process; `undefined` if no part is for it. */
  readonly own: unknown;
  /** Whether the other processes have received their parts. */
  readonly isTaken: MaybePromise<boolean>;
}

/**
 * How long to wait for a process to confirm an answer, in milliseconds. After each of these times except the last, the
 * answer is sent again, because the process may have lost its connection to the bus.
 */
const RECEIVED_WITHIN_MS: readonly number[] = [250, 750, 1_000];

/** How many messages of a batch are passed to other processes; a longer batch is refused anyway. */
const MOST_HANDED_OVER = 100;

/** Forwards messages from clients to the processes that wait for them, and handles messages from other processes. */
export class NodeMessages {
  /** Answers that have been passed on but not confirmed by the process that they are for. */
  readonly #handedOver = new Map<string, () => void>();

  constructor(
    private readonly backend: EndpointBackend,
    private readonly sessions: { get(id: string): ReachedSession | undefined },
  ) {}

  /**
   * Forwards a client's message, or each message of a batch, to the process that waits for it.
   *
   * @param session the session of the message. The caller has checked that it belongs to the client's principal.
   */
  forward({ id, connection }: ReachedSession, message: unknown): Forwarded {
    const isBatch = Array.isArray(message) && connection.batches && message.length <= MOST_HANDED_OVER;
    if (isBatch) return this.#forwardAll(id, message);
    const isOwn = this.#addressee(message) === undefined;
    return { own: isOwn ? message : undefined, isTaken: this.#handOver(id, message) };
  }

  /** Whether a client's message is the answer to a request from this process. */
  isOwnAnswer(message: unknown): boolean {
    if (!isObject(message) || message['method'] !== undefined) return false;
    return askedBy(message) === this.backend.node;
  }

  /**
   * Handles a message from another process. Its content is validated, because the other process can run a different
   * version of the app.
   */
  receive({ about, content }: { readonly about: string; readonly content: Message }): void {
    const { sessionId, message, stream, retryMs, node, receipt } = content;
    if (about === ABOUT.received && typeof receipt === 'string') return this.#handedOver.get(receipt)?.();
    // This is confirmed even if the session has ended here: there is nothing more to do for it.
    if (about === ABOUT.answer && typeof receipt === 'string' && typeof node === 'string')
      void this.backend.publish({ kind: 'message', to: node, about: ABOUT.received, content: { receipt } });
    const session = typeof sessionId === 'string' ? this.sessions.get(sessionId) : undefined;
    if (!session) return;
    if (node === this.backend.node) {
      if (about === ABOUT.resumed && typeof stream === 'string' && retryMs === undefined)
        session.claimed(stream);
      return;
    }
    // The message may arrive twice; the second time it has no effect.
    if (about === ABOUT.answer && isObject(message) && askedBy(message) === this.backend.node)
      session.connection.receive(message);
    else if (about === ABOUT.cancelled && isCancelled(message)) session.connection.receive(message);
    else if (about === ABOUT.notify && typeof message === 'string') session.send(message);
    else if (about === ABOUT.resumed && typeof stream === 'string')
      session.movedAway(stream, typeof retryMs === 'number' ? retryMs : undefined);
  }

  #forwardAll(sessionId: string, batch: readonly unknown[]): Forwarded {
    const own = batch.filter((each) => this.#addressee(each) === undefined);
    const taken = batch.map((each) => this.#handOver(sessionId, each));
    const isTaken = taken.some(isPromise)
      ? Promise.all(taken.map((each) => Promise.resolve(each))).then((all) => all.every(Boolean))
      : taken.every(Boolean);
    return { own: own.length > 0 || batch.length === 0 ? own : undefined, isTaken };
  }

  /** The one other process that a message is for. */
  #addressee(message: unknown): string | undefined {
    const to = isObject(message) ? askedBy(message) : undefined;
    return to === this.backend.node ? undefined : to;
  }

  /** Passes a message to the processes that it is for, if there are any. @returns whether this succeeded. */
  #handOver(sessionId: string, message: unknown): MaybePromise<boolean> {
    const content = { sessionId, message, node: this.backend.node };
    if (isCancelled(message))
      return this.backend.publish({ kind: 'message', about: ABOUT.cancelled, content });
    const to = this.#addressee(message);
    if (to === undefined) return true;
    const isAnswer = isObject(message) && message['method'] === undefined;
    if (isAnswer) return this.#handOverAnswer(to, content);
    return this.backend.publish({ kind: 'message', to, about: ABOUT.answer, content });
  }

  /**
   * Passes an answer on. A bus stores nothing for an absent process.
   *
   * @returns whether the process has received the answer.
   */
  async #handOverAnswer(to: string, content: Message): Promise<boolean> {
    const receipt = crypto.randomUUID();
    const received = new Promise<true>((resolve) => {
      this.#handedOver.set(receipt, () => resolve(true));
    });
    const answer = { kind: 'message', to, about: ABOUT.answer, content: { ...content, receipt } } as const;
    try {
      for (const ms of RECEIVED_WITHIN_MS) {
        if (!(await this.backend.publish(answer))) return false;
        if (await within(ms, received)) return true;
      }
      return false;
    } finally {
      this.#handedOver.delete(receipt);
    }
  }
}

/** The names of the notifications for progress and cancelling, in the specification and in an older dialect. */
const PROGRESS: readonly unknown[] = [NOTIFICATIONS.progress, '$/progress'];
const CANCELLED: readonly unknown[] = [NOTIFICATIONS.cancelled, '$/cancelled'];

function isCancelled(message: unknown): boolean {
  return isObject(message) && message['id'] === undefined && CANCELLED.includes(message['method']);
}

/**
 * Returns the process that asked a question. The id of the question, in an answer or a progress notification,
 * begins with the name of this process.
 */
function askedBy({ id, method, params }: Message): string | undefined {
  if (method === undefined) return nodeOf(id);
  if (id !== undefined || !PROGRESS.includes(method) || !isObject(params)) return undefined;
  return nodeOf(params['progressToken'] ?? params['token']);
}

function nodeOf(id: unknown): string | undefined {
  return typeof id === 'string' ? /^([A-Za-z0-9]{1,64})\.\d+(?:~[A-Za-z0-9_-]+)?$/.exec(id)?.[1] : undefined;
}

/**
 * The time that a process waits for an answer from another process, in milliseconds. It asks when a client resumes a
 * stream of the other process.
 */
export const ANSWERS_WITHIN_MS = 2_000;

/**
 * A process is asked whether it still serves a stream. If it does not answer for this number of milliseconds, it counts
 * as dead. It is asked twice in this time, because it can be too busy to answer, or miss the first message.
 */
export const GONE_AFTER_MS = 5_000;

/**
 * Called when a stream may have new events.
 *
 * @param isServed whether the call comes from the process that serves the stream, which is therefore alive.
 */
type StreamListener = (isServed: boolean) => void;

/**
 * Notifies the processes of an app about changes to the streams of sessions. The notifications do not contain the
 * streams' messages: every process reads these from the event store.
 */
export class SharedStreams {
  readonly #listeners = new Map<string, Set<StreamListener>>();

  constructor(private readonly backend: EndpointBackend) {}

  /** Calls a listener when a stream might have new events. @returns a function that removes the listener. */
  follow(stream: string, listener: StreamListener): () => void {
    const listeners = this.#listeners.get(stream) ?? new Set();
    this.#listeners.set(stream, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(stream) === listeners) this.#listeners.delete(stream);
    };
  }

  /** Notifies the listeners of a stream, in all processes, that the stream has new events or is still served. */
  grown(stream: string): void {
    void this.backend.publish({ kind: 'stream', stream });
  }

  /**
   * Notifies the other processes that the client of a stream is connected to this process, or that the client must
   * reconnect.
   *
   * @param retryMs delay before the client reconnects, in milliseconds; `undefined` if the client is connected to this
   *   process.
   * @returns a promise that resolves once the message is published. At every process, this message arrives before all
   *   messages that are published later.
   */
  resumed(sessionId: string, stream: string, retryMs?: number): MaybePromise<unknown> {
    const content = { sessionId, stream, node: this.backend.node, ...(retryMs !== undefined && { retryMs }) };
    return this.backend.publish({ kind: 'message', about: ABOUT.resumed, content });
  }

  /**
   * Notifies the listeners in this process.
   * @param stream the stream with new events; if `undefined`, any stream might have new events.
   */
  tell(stream?: string): void {
    const told = stream === undefined ? [...this.#listeners.values()] : [this.#listeners.get(stream) ?? []];
    for (const listeners of told) for (const listener of [...listeners]) listener(stream !== undefined);
  }
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const STANDALONE = new RegExp(`^${UUID}$`);
/** Matches the scopes at the end of the name of a stream; see `withScopes`. */
const SCOPES = '(?:~[A-Za-z0-9_-]+)?';
const OF_REQUEST = new RegExp(`^${UUID}-([A-Za-z0-9_-]*)${SCOPES}$`);

/** Returns a new, unique name for a stream of messages that belong to no request. */
export function nameStandaloneStream(): string {
  // A session keeps the id. Node's UUID is a rope of many pieces: it takes ten times the memory of a flat text.
  return crypto.randomUUID().split('-').join('-');
}

/**
 * Returns a new, unique name for the stream of a request. The name contains the id of the request; for a batch, there
 * is no id.
 */
export function nameRequestStream(id: RequestId | undefined): string {
  const json = id === undefined ? '' : JSON.stringify(id);
  const bytes = String.fromCharCode(...new TextEncoder().encode(json));
  const text = btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return `${crypto.randomUUID()}-${text}`;
}

/**
 * Parses the name of a stream, which can come from a client.
 * @returns `undefined` if the name is not valid.
 */
export function readStreamName(
  stream: string,
): { readonly kind: 'standalone' } | { readonly kind: 'request'; readonly id?: RequestId } | undefined {
  if (STANDALONE.test(stream)) return { kind: 'standalone' };
  const [, text] = OF_REQUEST.exec(stream) ?? [];
  if (text === undefined) return undefined;
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) =>
      char.charCodeAt(0),
    );
    const id: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isRequestId(id) ? { kind: 'request', id } : undefined;
  } catch {
    return text === '' ? { kind: 'request' } : undefined;
  }
}
