import {
  afterMs,
  type Connection,
  type EndpointBackend,
  isObject,
  isPromise,
  type MaybePromise,
  NOTIFICATIONS,
} from '@sigil/core/transport';
import { NOTIFY, RESUMED } from './shared-streams.js';

/** What messages between processes are about. */
const ABOUT = {
  /** The answer of a client to what the addressed process has asked, or progress on it. */
  answer: 'answer',
  /** The sender has what the addressed process has handed over. */
  received: 'received',
  /** A client does not want the answer to a request any more, which another process may be serving. */
  cancelled: 'cancelled',
  /** See `Sink.deliver`. */
  notify: NOTIFY,
  resumed: RESUMED,
} as const;

type Message = Readonly<Record<string, unknown>>;

/** A session as far as messages reach it. */
interface Session {
  readonly id: string;
  readonly connection: Connection;
  send(message: string): void;
  claimed(stream: string): void;
  movedAway(stream: string, retryMs?: number): void;
}

/** What becomes of what a client has sent. */
interface Forwarded {
  /** What is for this process; `undefined` when nothing is. */
  readonly own: unknown;
  /** Whether the processes that the rest is for have been told; an answer, whether they have it. */
  readonly isTaken: MaybePromise<boolean>;
}

/**
 * How long a process has to say that it has an answer, in milliseconds: after each of these times but the last it is told again, as it may
 * just have lost the connection by which it listens.
 */
const RECEIVED_WITHIN_MS: readonly number[] = [250, 750, 1_000];

/** Of a batch, how many messages are handed to other processes: a longer one is refused anyway. */
const MOST_HANDED_OVER = 100;

/** Hands what a client says to the process that it is for, and takes what other processes hand over. */
export class NodeMessages {
  /** Answers that have been handed over, until the process they are for says that it has them. */
  readonly #handedOver = new Map<string, () => void>();

  constructor(
    private readonly backend: EndpointBackend,
    private readonly sessions: { get(id: string): Session | undefined },
  ) {}

  /**
   * Hands a message, or those of a batch, to other processes where it is for them.
   *
   * @param session the session it was sent in, whose owner has been checked.
   */
  forward({ id, connection }: Session, message: unknown): Forwarded {
    const isBatch = Array.isArray(message) && connection.batches && message.length <= MOST_HANDED_OVER;
    if (isBatch) return this.#forwardAll(id, message);
    const isOwn = this.#addressee(message) === undefined;
    return { own: isOwn ? message : undefined, isTaken: this.#handOver(id, message) };
  }

  /** Whether a message is the answer to a question of this process. */
  isOwnAnswer(message: unknown): boolean {
    if (!isObject(message) || message['method'] !== undefined) return false;
    return askedBy(message) === this.backend.node;
  }

  /** Takes what another process hands over. It may be of another version, so anything may come. */
  receive({ about, content }: { readonly about: string; readonly content: Message }): void {
    const { sessionId, message, stream, retryMs, node, receipt } = content;
    if (about === ABOUT.received && typeof receipt === 'string') return this.#handedOver.get(receipt)?.();
    // Also when the session has ended here: there is nothing more to do for it.
    if (about === ABOUT.answer && typeof receipt === 'string' && typeof node === 'string')
      void this.backend.publish({ kind: 'message', to: node, about: ABOUT.received, content: { receipt } });
    const session = typeof sessionId === 'string' ? this.sessions.get(sessionId) : undefined;
    if (!session) return;
    if (node === this.backend.node) {
      if (about === ABOUT.resumed && typeof stream === 'string' && retryMs === undefined)
        session.claimed(stream);
      return;
    }
    // It may come twice. The second time nothing waits for it any more.
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

  /** The other process that a message is for alone. */
  #addressee(message: unknown): string | undefined {
    const to = isObject(message) ? askedBy(message) : undefined;
    return to === this.backend.node ? undefined : to;
  }

  /** Hands a message to the processes that it is for, if there are any. @returns whether that was done. */
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

  /** Hands an answer over. A bus keeps nothing for a process that does not listen. @returns whether the process has it. */
  async #handOverAnswer(to: string, content: Message): Promise<boolean> {
    const receipt = crypto.randomUUID();
    const received = new Promise<true>((resolve) => {
      this.#handedOver.set(receipt, () => resolve(true));
    });
    const answer = { kind: 'message', to, about: ABOUT.answer, content: { ...content, receipt } } as const;
    try {
      for (const ms of RECEIVED_WITHIN_MS) {
        if (!(await this.backend.publish(answer))) return false;
        let stop: (() => void) | undefined;
        const late = new Promise<false>((resolve) => {
          stop = afterMs(ms, () => resolve(false));
        });
        const isReceived = await Promise.race([received, late]);
        stop?.();
        if (isReceived) return true;
      }
      return false;
    } finally {
      this.#handedOver.delete(receipt);
    }
  }
}

/** The words for progress and cancelling: of the specification, and of the older dialect. */
const PROGRESS: readonly unknown[] = [NOTIFICATIONS.progress, '$/progress'];
const CANCELLED: readonly unknown[] = [NOTIFICATIONS.cancelled, '$/cancelled'];

function isCancelled(message: unknown): boolean {
  return isObject(message) && message['id'] === undefined && CANCELLED.includes(message['method']);
}

/** The process that has asked what a message answers, or tells progress of; its name begins the id of the question. */
function askedBy({ id, method, params }: Message): string | undefined {
  if (method === undefined) return nodeOf(id);
  if (id !== undefined || !PROGRESS.includes(method) || !isObject(params)) return undefined;
  return nodeOf(params['progressToken'] ?? params['token']);
}

function nodeOf(id: unknown): string | undefined {
  return typeof id === 'string' ? /^([A-Za-z0-9]{1,64})\.\d+(?:~[A-Za-z0-9_-]+)?$/.exec(id)?.[1] : undefined;
}
