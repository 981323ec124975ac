import type { MaybePromise } from '../protocol/maybe-promise.js';

/** One stream of a session: the messages of one request, or those that belong to none. */
export interface StreamName {
  readonly session: string;
  /** Unique among all streams of all sessions, and not to be guessed. */
  readonly stream: string;
}

/** A message that was sent, or would have been had anybody listened. */
export interface StoredEvent {
  /** As `append` gave it. */
  readonly id: string;
  /** Serialised JSON-RPC without line breaks. */
  readonly message: string;
}

/**
 * Keeps what is sent on streams, so that a client that lost its connection gets the rest
 * (2025-11-25, basic/transports, "Resumability and Redelivery"). A transport calls the methods of one stream one after the
 * other, each when the one before is done. A store that answers without a promise costs no turn of the event loop.
 *
 * A store may drop events whenever it likes, the oldest of a stream first: whoever resumes gets what is left.
 */
export interface EventStore {
  /**
   * Keeps a message as the last of its stream.
   *
   * @returns an id unlike all others of the stream, ever: visible ASCII, fit for an HTTP header.
   */
  append(name: StreamName, message: string): MaybePromise<string>;
  /**
   * The events of a stream after the one of an id, in their order.
   *
   * @param id that of an event of this stream, kept or dropped; all events are given when it is absent. A client may send
   *   anything: an id the stream never had gives events of this stream or none.
   */
  after(name: StreamName, id?: string): MaybePromise<readonly StoredEvent[]>;
  /** Drops the events of one stream, or of all streams of a session. */
  forget(session: string, stream?: string): MaybePromise<void>;
}
