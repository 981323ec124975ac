import { ERROR_CODES, type Logger, type MaybePromise } from '@sigil/core';
import type { EventStore, StreamName, StreamRest } from '@sigil/core/backend';
import { after, afterMs, isPromise, type LogThrottle, withScopes } from '@sigil/core/internal';
import { errorResponse, type Principal, type RequestId } from '@sigil/core/transport';
import { EventStream, refuseForNow, type StreamRules } from '../answers.js';
import type { HttpExchange } from '../http-exchange.js';
import {
  ANSWERS_WITHIN_MS,
  GONE_AFTER_MS,
  nameRequestStream,
  nameStandaloneStream,
  readStreamName,
  type SharedStreams,
} from './node-messages.js';

/**
 * The values that the streams of a session share. `HttpSession` implements this interface, because a separate object
 * for each of many sessions would use more memory.
 */
export interface StreamParts {
  /** The id of the session. */
  readonly id: string;
  /** The event store. Without it, messages are not stored, and clients cannot resume streams. */
  readonly store: EventStore | undefined;
  readonly rules: StreamRules;
  /** How long a client waits before it reconnects, in milliseconds. */
  readonly retryMs: number;
  /**
   * Whether the client reconnects if its connection closes before the response. If so, each stream begins with an event
   * id.
   */
  readonly resumable: boolean;
  readonly logger: Logger;
  /** Prevents repeated failures from being logged too often. */
  readonly told: LogThrottle;
  /** The id of the principal that owns the session; `undefined` for an anonymous client. */
  readonly owner: string | undefined;
  /**
   * Called with the principal of the session after each new authentication of an open stream, because scopes and claims
   * may have changed.
   */
  renewed(principal: Principal): void;
  /**
   * Exchanges messages about streams with other processes; `undefined` if other processes cannot serve the session or
   * its streams.
   */
  readonly shared: SharedStreams | undefined;
  /** Notifies the client that any list or resource may have changed. */
  announceAll(): void;
}

/** The answer when a stream cannot be read at the moment. */
const NOT_NOW = 'The stream cannot be resumed now; try again later';

/** The streams of one session: one for each request that needs one, and one for messages that belong to no request. */
export class SessionStreams {
  // Created on demand: there are many sessions, and most only use the stream for messages that belong to no request.
  /** The streams of requests. */
  #running: Map<string, SessionStream> | undefined;
  /** Clients connected here whose streams other processes run, by the name of the stream. */
  #followers: Map<string, StreamFollower> | undefined;
  #standalone: SessionStream | undefined;
  /** Streams that this process has claimed for itself, until the bus returns its message. */
  #claims: Map<string, () => void> | undefined;

  constructor(private readonly parts: StreamParts) {}

  /**
   * Whether the client has an open connection to this process for one of these streams: the stream of messages that
   * belong to no request, or the stream of a request that another process serves.
   */
  get listening(): boolean {
    return this.#standalone?.connected === true || (this.#followers?.size ?? 0) > 0;
  }

  /** Whether this process, and not another one, sends the messages that belong to no request. */
  get isWriter(): boolean {
    return this.#standalone !== undefined;
  }

  /**
   * Answers a request with a new stream for this request.
   *
   * @param id the id of the request; `undefined` for a batch.
   * @param scopes the scopes that a principal needs to resume the stream.
   * @param refused a function that is called if the request is no longer authenticated.
   */
  open(
    http: HttpExchange,
    id: RequestId | undefined,
    scopes: readonly string[],
    refused: () => void,
  ): SessionStream {
    const name = this.parts.shared ? nameRequestStream(id) : crypto.randomUUID();
    const stream = new SessionStream(withScopes(name, scopes), this.parts, { refused });
    (this.#running ??= new Map()).set(stream.id, stream);
    stream.connect(http);
    return stream;
  }

  /**
   * Ends the stream of a request. Afterwards, the messages of the stream are only in the event store.
   * @param last the last message of the stream.
   */
  end(stream: SessionStream, last?: string): void {
    stream.end(last, () => this.#running?.delete(stream.id));
  }

  /** Answers a request with the stream of messages that belong to no request. */
  listen(http: HttpExchange): void {
    if (this.#standalone) return this.#standalone.connect(http);
    const standalone = (this.#standalone = new SessionStream(nameStandaloneStream(), this.parts));
    this.#claim(standalone.id);
    // The other processes are notified before the client knows the stream, because it could then resume it elsewhere.
    void after(this.parts.shared?.resumed(this.parts.id, standalone.id), () => standalone.connect(http));
  }

  /**
   * Answers a request with the rest of a stream after the event `lastEventId`. The stream must belong to this session.
   */
  resume(http: HttpExchange, lastEventId: string): void {
    const { stream, id } = readEventId(lastEventId);
    const running = this.#standalone?.id === stream ? this.#standalone : this.#running?.get(stream);
    if (running) return running.resume(http, id);
    const { shared } = this.parts;
    const kind = shared && readStreamName(stream)?.kind;
    if (kind === 'standalone') return this.#takeOver(http, stream, id);
    if (shared && kind) {
      const followers = (this.#followers ??= new Map<string, StreamFollower>());
      void followers.get(stream)?.letGo();
      const follower = new StreamFollower(http, stream, id, this.parts, shared, () => {
        if (followers.get(stream) === follower) followers.delete(stream);
      });
      followers.set(stream, follower);
      this.#claim(stream);
      return follower.begin();
    }
    new SessionStream(stream, this.parts, { ended: true }).resume(http, id);
  }

  /**
   * Called when another process reports about a stream. Without `retryMs`, that process now has the client's
   * connection. With `retryMs`, the client must reconnect after this number of milliseconds.
   */
  movedAway(stream: string, retryMs?: number): void {
    // A message from before this process claimed the stream is obsolete.
    if (this.#claims?.has(claimOf(stream))) return;
    void this.#followers?.get(stream)?.letGo(retryMs);
    const isStandalone = readStreamName(stream)?.kind === 'standalone';
    const own = isStandalone ? this.#standalone : this.#running?.get(stream);
    if (isStandalone) this.#standalone = undefined;
    own?.handOver();
  }

  /**
   * Called when all processes, including this one, have received the notification that this process now serves a
   * stream. Until then, notifications from other processes about the stream are outdated and ignored.
   */
  claimed(stream: string): void {
    this.#claims?.get(claimOf(stream))?.();
  }

  /**
   * Ignores earlier messages from other processes about a stream. The bus also returns the messages of this process, in
   * order: the claim ends when its own message returns.
   */
  #claim(stream: string): void {
    if (!this.parts.shared) return;
    const key = claimOf(stream);
    const claims = (this.#claims ??= new Map<string, () => void>());
    claims.get(key)?.();
    // Without a bus, no message returns, and no other message comes.
    const cancel = afterMs(ANSWERS_WITHIN_MS, () => claims.delete(key));
    claims.set(key, () => {
      cancel();
      claims.delete(key);
    });
  }

  /**
   * Sends a message that belongs to no request. It is dropped if this process does not serve the client's stream for
   * such messages.
   */
  send(message: string): void {
    this.#standalone?.send(message);
  }

  /**
   * Closes the client's connections that do not wait for an answer from this process, so that the client reconnects to
   * another process.
   *
   * @param all whether to also close the connections that wait for an answer from this process.
   */
  letGo(all = false): void {
    for (const follower of [...(this.#followers?.values() ?? [])]) void follower.letGo(this.parts.retryMs);
    for (const stream of all ? this.#all : [this.#standalone]) stream?.disconnect();
  }

  /**
   * Ends all streams, and deletes their stored events. If other processes can continue the streams, the events are not
   * deleted.
   */
  close(): void {
    const { shared, id: session } = this.parts;
    for (const follower of [...(this.#followers?.values() ?? [])]) void follower.letGo();
    const standalone = this.#standalone;
    this.#standalone = undefined;
    if (shared) standalone?.release();
    else if (standalone) this.end(standalone);
    for (const stream of this.#all) this.end(stream);
    if (!shared) void askStore(this.parts, (store) => store.forget(session));
  }

  /** Waits until all messages are delivered or stored. */
  async settled(): Promise<void> {
    await Promise.all(this.#all.map((stream) => stream.settled()));
  }

  /** Takes over a stream from another process, and sends the client its missed events. */
  #takeOver(http: HttpExchange, id: string, last: string | undefined): void {
    this.#standalone?.release();
    this.#standalone = new SessionStream(id, this.parts);
    this.#claim(id);
    this.#standalone.takeOver(http, last);
  }

  get #all(): SessionStream[] {
    return [...(this.#standalone ? [this.#standalone] : []), ...(this.#running?.values() ?? [])];
  }
}

/** Used in place of an id for a stream that has ended. */
const REFUSED = Symbol('refused');

/**
 * The key of a claim. A client has one stream for messages that belong to no request, so all its names have one key.
 */
function claimOf(stream: string): string {
  return readStreamName(stream)?.kind === 'standalone' ? 'standalone' : stream;
}

/**
 * A stream with the messages of one request, or with the messages that belong to no request. Messages are sent on the
 * client's current connection, and stored for later connections. Operations on a stream run in order, even if the store
 * is slow.
 */
export class SessionStream {
  #connection: EventStream | undefined;
  #last: string | undefined;
  #turn: Promise<void> | undefined;
  #ended: boolean;
  readonly #refused: (() => void) | undefined;
  /** Whether the client is connected to another process, which is notified of all new messages. */
  #isFollowed = false;
  /**
   * Ends the time during which another process may still write. Messages from this time are read from the store, to
   * keep their order.
   */
  #endTakeover: (() => void) | undefined;
  #isAbandoned = false;

  /**
   * @param id the name of the stream, which is the beginning of its event ids.
   * @param its.ended whether the stream has ended; all its messages are then in the store.
   * @param its.refused a function that is called if the request of a connection is no longer authenticated. If there is
   *   no such function, the connection is closed instead.
   */
  constructor(
    readonly id: string,
    private readonly parts: StreamParts,
    its: { readonly ended?: boolean; readonly refused?: (() => void) | undefined } = {},
  ) {
    this.#ended = its.ended ?? false;
    this.#refused = its.refused;
  }

  get #name(): StreamName {
    return { session: this.parts.id, stream: this.id };
  }

  /** Whether a client is connected to this stream. */
  get connected(): boolean {
    return this.#connection?.ended === false;
  }

  /**
   * From now on, sends the messages of the stream as the response to `http`. The previous connection of the client to
   * this stream is closed.
   */
  connect(http: HttpExchange): void {
    this.#inTurn(() => this.#attach(http, this.#last, []));
  }

  /**
   * Sends the missed events and the following messages as the response to `http`. If the stream has ended and there are
   * no missed events, the status is 204, which ends the client's retries.
   *
   * @param id the id of the last event that the client received; `undefined` if it received none.
   */
  resume(http: HttpExchange, id: string | undefined): void {
    if (this.#isFollowed) void this.parts.shared?.resumed(this.parts.id, this.id);
    this.#isFollowed = false;
    this.#inTurn(() =>
      after(this.#read(id), (rest) => {
        if (!rest) return refuseForNow(http, NOT_NOW);
        if (rest.ended) this.#giveUp();
        const { events } = rest;
        if (this.#ended && events.length === 0) return http.respond(204, {});
        if (this.#endTakeover) this.#last = events.at(-1)?.id ?? id;
        return this.#attach(http, id, events);
      }),
    );
  }

  /**
   * Takes over a stream from another process. That process confirms that it has stopped writing. If it does not confirm
   * this within `ANSWERS_WITHIN_MS`, it counts as dead, and its messages that are not in the store are lost.
   */
  takeOver(http: HttpExchange, id: string | undefined): void {
    const { shared, id: session } = this.parts;
    const done = (isServed: boolean): void => {
      if (isServed) this.#endTakeover?.();
      else this.#inTurn(() => this.#catchUp());
    };
    const unfollow = shared?.follow(this.id, done);
    const cancelWait = afterMs(ANSWERS_WITHIN_MS, () => {
      done(true);
      this.parts.announceAll();
    });
    this.#last = id;
    this.#endTakeover = () => {
      unfollow?.();
      cancelWait();
      // Earlier messages are sent in the order of the store.
      this.#inTurn(() => after(this.#catchUp(), () => (this.#endTakeover = undefined)));
    };
    this.resume(http, id);
    void shared?.resumed(session, this.id);
  }

  /**
   * Closes the connection, because the client is now connected to another process. From now on, that process is
   * notified of new messages.
   */
  handOver(): void {
    this.#endTakeover?.();
    this.#inTurn(() => {
      this.#isFollowed = true;
      this.#connection?.end();
      this.parts.shared?.grown(this.id);
    });
  }

  /** Waits until all messages are delivered or stored. */
  async settled(): Promise<void> {
    await this.#turn;
  }

  send(message: string): void {
    this.#inTurn(() =>
      after(this.#write(message), () => {
        if (this.#isFollowed) this.parts.shared?.grown(this.id);
      }),
    );
  }

  /** Closes the connection. New messages are stored until the client resumes the stream. */
  disconnect(retryMs: number = this.parts.retryMs): void {
    this.#inTurn(() => {
      this.#connection?.retry(retryMs);
      this.#connection?.end();
      if (this.#isFollowed) void this.parts.shared?.resumed(this.parts.id, this.id, retryMs);
    });
  }

  /**
   * Ends the stream after all messages are sent.
   *
   * @param last the last message; `undefined` if the request gets no answer.
   * @param ended a function that is called when the stream has ended. From then on, its messages are only in the store.
   */
  end(last: string | undefined, ended: () => void): void {
    const { shared, id: session } = this.parts;
    const finish = (): MaybePromise<void> =>
      last !== undefined
        ? this.#write(last, true)
        : shared && askStore(this.parts, (store) => store.end(this.#name));
    this.#inTurn(() =>
      after(finish(), () => {
        this.#ended = true;
        // The client may be connected to another process, which cannot know that the stream ended here.
        const isElsewhere = !this.connected;
        this.#connection?.end();
        ended();
        if (!shared || !isElsewhere) return;
        if (this.#isAbandoned) void shared.resumed(session, this.id);
        else shared.grown(this.id);
      }),
    );
  }

  /**
   * Deletes the stored events of this stream, because its client will not resume it. In a shared store, the events
   * stay, because they show other processes that the stream has ended.
   */
  abandon(): void {
    this.#isAbandoned = true;
    // Another process must be able to see that the stream has ended.
    if (this.parts.shared) return;
    this.#inTurn(() => askStore(this.parts, (store) => store.forget(this.#name.session, this.id)));
  }

  /** Closes the connection, because another process continues the stream. */
  release(): void {
    this.#endTakeover?.();
    this.#inTurn(() => this.#connection?.end());
  }

  /** Stores a message, and sends it to the client if one is connected. @param ends whether it is the last message. */
  #write(message: string, ends = false): MaybePromise<void> {
    if (this.#ended) return;
    const kept = askStore(this.parts, (store) =>
      after(store.append(this.#name, message, ends), (id) => id ?? REFUSED),
    );
    return after(kept, (id) => {
      if (id === REFUSED) return this.#giveUp();
      if (this.#endTakeover && id !== undefined) return this.#catchUp();
      this.#last = id ?? this.#last;
      return this.#connection?.send(message, id === undefined ? undefined : eventId(this.id, id));
    });
  }

  /** Stops sending: another process has answered the request, because this one did not respond. */
  #giveUp(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#connection?.end();
    const what =
      'another process answered a request, because this process did not respond; this process drops its further messages for the request';
    this.parts.logger.info({ principal: this.parts.owner }, what);
  }

  #read(id: string | undefined): MaybePromise<StreamRest | undefined> {
    return askStore(this.parts, (store) => store.after(this.#name, id));
  }

  /** Sends the stored messages that follow the ones already sent. */
  #catchUp(): MaybePromise<void> {
    return after(this.#read(this.#last), (rest) => {
      for (const { id, message } of rest?.events ?? []) {
        this.#last = id;
        this.#connection?.send(message, eventId(this.id, id));
      }
    });
  }

  #attach(http: HttpExchange, last: string | undefined, missed: StreamRest['events']): void {
    const { rules, resumable, retryMs } = this.parts;
    this.#connection?.end();
    const connection = (this.#connection = new EventStream(http, rules, {
      refused: this.#refused,
      renewed: (principal) => this.parts.renewed(principal),
      ended: () => {
        if (this.#connection?.ended) this.#connection = undefined;
      },
    }));
    // A resumed stream is primed too: clients forget the last id with each connection.
    if (resumable && !this.#ended) connection.prime(eventId(this.id, last), retryMs);
    for (const { id, message } of missed) connection.send(message, eventId(this.id, id));
    if (this.#ended) connection.end();
  }

  #inTurn(work: () => MaybePromise<void>): void {
    const turn = this.#turn ? this.#turn.then(work) : work();
    if (!isPromise(turn)) return;
    const { logger, owner: principal } = this.parts;
    const settled: Promise<void> = turn
      .catch((error: unknown) => logger.error({ err: error, principal }, 'a stream could not be served'))
      .then(() => {
        if (this.#turn === settled) this.#turn = undefined;
      });
    this.#turn = settled;
  }
}

/**
 * Sends a client the stream of a request that another process runs. That process stores its messages and announces new
 * ones; the follower reads from the client's last event. A process that stays silent is gone, and its request with it.
 */
class StreamFollower {
  readonly #unfollow: () => void;
  #cancelWait: () => void;
  #connection: EventStream | undefined;
  #last: string | undefined;
  #reading: Promise<void> | undefined;
  #hasMore = false;
  #done = false;

  /**
   * @param stream the name of the stream.
   * @param last the id of the last event that the client got; absent when it got no event.
   * @param ended called when the client has disconnected.
   */
  constructor(
    private readonly http: HttpExchange,
    private readonly stream: string,
    last: string | undefined,
    private readonly parts: StreamParts,
    private readonly shared: SharedStreams,
    private readonly ended: () => void,
  ) {
    this.#last = last;
    this.#cancelWait = afterMs(ANSWERS_WITHIN_MS, () => this.#askAgain());
    this.#unfollow = shared.follow(stream, (isServed) => {
      if (isServed) this.#cancelWait();
      void this.#read();
    });
  }

  /**
   * Notifies the process that runs the request, and begins to read. From then on, that process announces each new
   * event.
   */
  begin(): void {
    this.http.onGone(() => this.#finish());
    void this.shared.resumed(this.parts.id, this.stream);
    void this.#read();
  }

  /**
   * Ends the connection: the client continues elsewhere, or reconnects.
   *
   * @param retryMs the delay before the client reconnects, in milliseconds.
   */
  async letGo(retryMs?: number): Promise<void> {
    if (retryMs !== undefined) {
      await this.#read();
      if (!this.#done) this.#connection?.retry(retryMs);
    }
    this.#finish();
  }

  /** Sends the messages stored by now. Messages that arrive during this read are read afterwards. */
  #read(): Promise<void> {
    this.#hasMore = true;
    this.#reading ??= this.#readAll();
    return this.#reading;
  }

  async #readAll(): Promise<void> {
    while (this.#hasMore && !this.#done) {
      this.#hasMore = false;
      await this.#readOnce();
    }
    // Reset at once, so that later messages start a new read.
    this.#reading = undefined;
  }

  async #readOnce(): Promise<void> {
    const { id: session } = this.parts;
    const name = { session, stream: this.stream };
    const rest = await askStore(this.parts, (store) => store.after(name, this.#last));
    if (this.#done) return;
    if (!rest) {
      if (this.#connection) return;
      refuseForNow(this.http, NOT_NOW);
      return this.#finish();
    }
    const { events, ended } = rest;
    if (!this.#connection && ended && events.length === 0) {
      this.http.respond(204, {});
      return this.#finish();
    }
    const connection = (this.#connection ??= this.#connect(ended));
    for (const { id, message } of events) {
      this.#last = id;
      connection.send(message, eventId(this.stream, id));
    }
    if (ended) this.#finish();
  }

  #connect(hasEnded: boolean): EventStream {
    const { rules, resumable, retryMs } = this.parts;
    const connection = new EventStream(this.http, rules, {
      refused: () => this.#finish(),
      renewed: (principal) => this.parts.renewed(principal),
    });
    if (resumable && !hasEnded) connection.prime(eventId(this.stream, this.#last), retryMs);
    return connection;
  }

  #askAgain(): void {
    this.#cancelWait = afterMs(GONE_AFTER_MS - ANSWERS_WITHIN_MS, () => void this.#replace());
    void this.shared.resumed(this.parts.id, this.stream);
  }

  /** Answers in place of a process that is gone. If that process has answered in the meantime, nothing is added. */
  async #replace(): Promise<void> {
    // The process may have ended the stream before it was notified of this client.
    await this.#read();
    if (this.#done) return;
    const { id: session } = this.parts;
    const name = { session, stream: this.stream };
    const found = readStreamName(this.stream);
    if (found?.kind === 'request' && found.id !== undefined) {
      const message = 'The process that served the request has ended';
      const answer = errorResponse(found.id, { code: ERROR_CODES.internalError, message });
      await askStore(this.parts, (store) => store.append(name, answer, true));
    } else await askStore(this.parts, (store) => store.end(name));
    this.shared.grown(this.stream);
    await this.#read();
    this.#finish();
  }

  #finish(): void {
    if (this.#done) return;
    this.#done = true;
    this.#cancelWait();
    this.#unfollow();
    this.#connection?.end();
    this.ended();
  }
}

/**
 * Runs an operation of the event store, if there is a store. A failure is logged, and does not fail the request.
 *
 * @returns `undefined` if there is no store, or if it failed.
 */
function askStore<T>(
  { store, logger, owner, told }: Pick<StreamParts, 'store' | 'logger' | 'owner' | 'told'>,
  ask: (store: EventStore) => MaybePromise<T>,
): MaybePromise<T | undefined> {
  const failed = (error: unknown): undefined => {
    if (told.allows('event store'))
      logger.error(
        { err: error, principal: owner },
        'the event store failed; streams continue, but clients cannot resume them after a disconnect',
      );
    return undefined;
  };
  try {
    const answer = store && ask(store);
    return isPromise(answer) ? answer.catch(failed) : answer;
  } catch (error) {
    return failed(error);
  }
}

/** A place in a stream: after one of its events, or at its beginning. */
interface EventCursor {
  readonly stream: string;
  /** The id that the store gave to the event; absent at the beginning. */
  readonly id?: string;
}

/** The event id that clients get. It contains the name of the stream, so that no store can mix up streams. */
function eventId(stream: string, id?: string): string {
  return id === undefined ? stream : `${stream}.${id}`;
}

/**
 * Splits the value of `Last-Event-ID` into the name of the stream and the id of the event. It does not check whether
 * the stream exists.
 */
export function readEventId(text: string): EventCursor {
  const dot = text.indexOf('.');
  return dot < 0 ? { stream: text } : { stream: text.slice(0, dot), id: text.slice(dot + 1) };
}
