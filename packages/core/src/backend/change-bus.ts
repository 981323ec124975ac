import type { MaybePromise } from '../protocol/maybe-promise.js';
import type { TaskStatus } from './tasks.js';

/** The lists that a server has. */
export type ListKind = 'tools' | 'prompts' | 'resources';

/** Something that changed and that clients may want to hear of. JSON can carry it. */
export type ServerChange =
  /** A list has other entries than before. */
  | { readonly kind: 'list'; readonly list: ListKind }
  /** A resource has other contents than before. */
  | { readonly kind: 'resource'; readonly uri: string }
  /** A task has another state than before, or another run. */
  | {
      readonly kind: 'task';
      readonly taskId: string;
      readonly status: TaskStatus;
      readonly run: string | null;
    }
  /** Tasks can be claimed that could not before. */
  | { readonly kind: 'claimable' }
  /** A session is another than before, or has ended. */
  | { readonly kind: 'session'; readonly sessionId: string }
  /** A stream of a session has events that a process which follows it does not know yet. */
  | { readonly kind: 'stream'; readonly stream: string }
  /** What one process has to say to another one, or to all. */
  | NodeMessage
  /** Anything may have changed: changes were lost, as a bus tells its own listeners after it was disconnected. */
  | { readonly kind: 'all' };

/** A message from one process to another of the same app. */
export interface NodeMessage {
  readonly kind: 'message';
  /** The process it is for; absent for all. */
  readonly to?: string | undefined;
  /** The subject. */
  readonly about: string;
  /** Plain JSON. */
  readonly content: Readonly<Record<string, unknown>>;
}

/**
 * Carries changes between the processes of one app, so that a change in one reaches the clients of all. Changes may
 * arrive twice or out of order; none is stored for an absent process. After a reconnection that may have lost changes,
 * a bus sends `{ kind: 'all' }` to its listeners.
 */
export interface ChangeBus {
  /**
   * Sends a change to every listener of every process, including this one. A failure is logged and reaches no handler;
   * a client's answer for another process is then refused with a retry.
   *
   * @throws Error if the change cannot be published. Success does not mean that a process has received it.
   */
  publish(change: ServerChange): MaybePromise<void>;
  /**
   * Listens to changes, from the moment that the promise, if there is one, is kept. Listeners do not throw.
   *
   * @param node address of this process; without it, messages to single processes are not delivered.
   * @returns a function that stops the listening.
   */
  subscribe(listener: (change: ServerChange) => void, node?: string): MaybePromise<() => MaybePromise<void>>;
}
