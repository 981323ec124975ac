import type { EndpointBackend, MaybePromise, RequestId } from '@sigil/core/transport';
import { isRequestId } from '@sigil/core/transport';

/** How long a process has to say that it still serves a stream which a client resumes in another one, in milliseconds. */
export const ANSWERS_WITHIN_MS = 2_000;

/**
 * How long it may say nothing until it is taken for dead, in milliseconds. It is asked twice: it may be busy, or have missed the question.
 */
export const GONE_AFTER_MS = 5_000;

/** What a message between processes is about when only its sender has it, and the client may listen in another process. */
export const NOTIFY = 'notify';

/** What a message between processes is about when a client comes to one of them for a stream. */
export const RESUMED = 'resumed';

/**
 * Called when there may be more of a stream.
 *
 * @param isServed whether the process that serves the stream says so: it is alive.
 */
type StreamListener = (isServed: boolean) => void;

/** What processes tell each other of the streams of sessions. What is on a stream is in the event store. */
export class SharedStreams {
  readonly #listeners = new Map<string, Set<StreamListener>>();

  constructor(private readonly backend: EndpointBackend) {}

  /** Listens for more of a stream. @returns stops the listening. */
  follow(stream: string, listener: StreamListener): () => void {
    const listeners = this.#listeners.get(stream) ?? new Set();
    this.#listeners.set(stream, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(stream) === listeners) this.#listeners.delete(stream);
    };
  }

  /** Tells those who follow a stream that there is more of it, or that it is served. */
  grown(stream: string): void {
    void this.backend.publish({ kind: 'stream', stream });
  }

  /**
   * Tells the other processes to let the client of a stream go, which has come to this one.
   *
   * @param retryMs when the client is to come back, in milliseconds; absent where it is here.
   * @returns once they have been told: what any process tells later comes after it everywhere.
   */
  resumed(sessionId: string, stream: string, retryMs?: number): MaybePromise<unknown> {
    const content = { sessionId, stream, node: this.backend.node, ...(retryMs !== undefined && { retryMs }) };
    return this.backend.publish({ kind: 'message', about: RESUMED, content });
  }

  /** Tells those who listen here. @param stream absent when any stream may have more. */
  tell(stream?: string): void {
    const told = stream === undefined ? [...this.#listeners.values()] : [this.#listeners.get(stream) ?? []];
    for (const listeners of told) for (const listener of [...listeners]) listener(stream !== undefined);
  }
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const STANDALONE = new RegExp(`^${UUID}$`);
/** What the name of a stream may have behind it, see `withScopes`. */
const SCOPES = '(?:~[A-Za-z0-9_-]+)?';
const OF_REQUEST = new RegExp(`^${UUID}-([A-Za-z0-9_-]*)${SCOPES}$`);

/** A name for the stream of a request, that tells which one it is; of a batch when there is no id. */
export function nameRequestStream(id: RequestId | undefined): string {
  const json = id === undefined ? '' : JSON.stringify(id);
  const bytes = String.fromCharCode(...new TextEncoder().encode(json));
  const text = btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return `${crypto.randomUUID()}-${text}`;
}

/** What a stream is for by its name, which a client may have made up. */
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
