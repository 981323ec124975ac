import type { MaybePromise } from '../protocol/maybe-promise.js';
import type { TaskStatus } from './tasks.js';

/** The kinds of lists that a server offers to clients. */
export type ListKind = 'tools' | 'prompts' | 'resources';

/** A value that processes exchange over the change bus: a notification of a change, or a message. Plain JSON. */
export type ServerChange =
  /** The entries of a list have changed. */
  | { readonly kind: 'list'; readonly list: ListKind }
  /** The contents of a resource have changed. */
  | { readonly kind: 'resource'; readonly uri: string }
  /** The state or the run of a task has changed. */
  | {
      readonly kind: 'task';
      readonly taskId: string;
      readonly status: TaskStatus;
      readonly run: string | null;
    }
  /** New tasks can be claimed. */
  | { readonly kind: 'claimable' }
  /** A session has changed, or has ended. */
  | { readonly kind: 'session'; readonly sessionId: string }
  /** A stream of a session has new events for the process that follows the stream. */
  | { readonly kind: 'stream'; readonly stream: string }
  /** A message from one process to another, or to all. */
  | NodeMessage
  /**
   * Anything may have changed. A bus sends this to its own listeners after a lost connection, because changes may have
   * been lost too.
   */
  | { readonly kind: 'all' };

/** A message from one process to another process of the same app, or to all its processes. */
export interface NodeMessage {
  readonly kind: 'message';
  /** The address of the process that receives the message. If absent, all processes receive it. */
  readonly to?: string | undefined;
  /** The subject of the message. */
  readonly about: string;
  /** The content, as plain JSON. */
  readonly content: Readonly<Record<string, unknown>>;
}

/**
 * Carries changes between the processes of one app, so that a change in one process reaches the clients of all
 * processes. Changes may arrive twice or out of order. They are not stored for a process that is not connected. After a
 * lost connection, a bus reconnects and sends `{ kind: 'all' }` to its listeners, because it may have missed changes.
 */
export interface ChangeBus {
  /**
   * Sends a change to every listener of every process, including this one. If this method fails, the app logs the
   * error, and the handler that caused the change does not get the error. A change of the kind `message` can contain a
   * client's answer for another process. If such a change cannot be sent, the client gets an error and is asked to send
   * the answer again.
   *
   * @throws Error if the change cannot be published. Success does not mean that a process has received it.
   */
  publish(change: ServerChange): MaybePromise<void>;
  /**
   * Listens to changes. If this method returns a promise, listening begins when the promise is fulfilled. Listeners
   * must not throw.
   *
   * @param node the address of this process; without it, the listener does not get messages that are addressed to one
   *   process.
   * @returns a function that stops listening.
   */
  subscribe(listener: (change: ServerChange) => void, node?: string): MaybePromise<() => MaybePromise<void>>;
}
