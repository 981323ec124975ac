import type { EventStore } from '@sigil/core/backend';
import {
  isPromise,
  type Logger,
  type LogThrottle,
  type MaybePromise,
  type Principal,
} from '@sigil/core/transport';
import type { StreamRules } from './event-stream.js';
import type { SharedStreams } from './shared-streams.js';

/** What the streams of a session have in common. */
export interface StreamParts {
  readonly session: string;
  /** Without one nothing is kept, and no client can resume. */
  readonly store: EventStore | undefined;
  readonly rules: StreamRules;
  /** Milliseconds a client is told to wait before it comes back. */
  readonly retryMs: number;
  /** Whether clients come back to a stream that stops before its response: only such ones are primed. */
  readonly resumable: boolean;
  readonly logger: Logger;
  /** Keeps what fails at each message from filling the log. */
  readonly told: LogThrottle;
  /** The id of the principal the session belongs to. */
  readonly owner: string | undefined;
  /** Told of its principal, whose scopes and claims may be others by now. */
  readonly renewed: (principal: Principal) => void;
  /** What processes say of streams; absent where the session, or what is kept of its streams, belongs to this one. */
  readonly shared: SharedStreams | undefined;
  /** Tells the client that anything may have changed. */
  readonly announceAll: () => void;
}

/**
 * Asks an event store, if there is one. That it fails is reported, and is no reason to fail what it is asked for.
 *
 * @returns `undefined` when there is no store, or it failed.
 */
export function askStore<T>(
  { store, logger, owner, told }: Pick<StreamParts, 'store' | 'logger' | 'owner' | 'told'>,
  ask: (store: EventStore) => MaybePromise<T>,
): MaybePromise<T | undefined> {
  const failed = (error: unknown): undefined => {
    if (told.allows('event store'))
      logger.error(
        { err: error, principal: owner },
        'the event store failed; streams go on, and what they send now cannot be resumed',
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

/** A place in a stream: behind one of its events, or at its beginning. */
export interface EventCursor {
  readonly stream: string;
  /** The event by the id its store gave it; absent at the beginning. */
  readonly id?: string;
}

/** Writes a place down as clients are told it. The stream is part of it, so no store can mix streams up. */
export function eventId(stream: string, id?: string): string {
  return id === undefined ? stream : `${stream}.${id}`;
}

/** Reads `Last-Event-ID`. Whether there is such a stream is another question. */
export function readEventId(text: string): EventCursor {
  const dot = text.indexOf('.');
  return dot < 0 ? { stream: text } : { stream: text.slice(0, dot), id: text.slice(dot + 1) };
}
