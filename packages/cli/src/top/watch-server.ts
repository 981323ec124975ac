import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '@sigil/core/internal';
import { causeOf, ServerError } from '../failures.js';
import { type JsonObject, objectOf, parseJson } from '../json.js';
import { linesOf } from '../program/lines.js';

/** How long to wait between two attempts to reconnect to a server, in milliseconds. */
const RETRY_MS = 1_000;

/** Callbacks for the events of a watched server. */
export interface ServerWatcher {
  /**
   * Called each time a connection to the server has opened: for the first connection, and again after each
   * interruption.
   */
  connected(): void;
  /**
   * Called when the connection has ended. Afterwards, `watchServer` tries to reconnect until it succeeds. It gives up
   * only if the server refuses the token, or if the signal aborts.
   *
   * @param why the reason, as a text for the user.
   */
  lost(why: string): void;
  /**
   * Called with each event.
   *
   * @param event the kind of event, such as `call`.
   */
  told(event: string, data: JsonObject): void;
}

/** The URL of a server's events, and the token that the server requires. */
export interface EventsAddress {
  readonly url: URL;
  readonly token: string;
  /** Maximum milliseconds that each attempt to connect waits for the server's response. */
  readonly timeoutMs: number;
}

/**
 * Reads the events of a server until the signal aborts. After the first successful connection, it reconnects whenever a
 * connection ends.
 *
 * @throws ServerError if the first connection fails, or if the server refuses the token.
 */
export async function watchServer(
  address: EventsAddress,
  watcher: ServerWatcher,
  signal: AbortSignal,
): Promise<void> {
  let wasThere = false;
  let isLost = false;
  const lost = async (why: string): Promise<void> => {
    if (!isLost) watcher.lost(why);
    isLost = true;
    await delay(RETRY_MS, undefined, { signal });
  };
  while (!signal.aborted) {
    try {
      const events = await connect(address, signal);
      wasThere = true;
      isLost = false;
      watcher.connected();
      await read(events, watcher, signal);
      await lost('the server has ended the connection');
    } catch (error) {
      if (signal.aborted) return;
      if (!wasThere || error instanceof RefusedTokenError) throw error;
      await lost(messageOf(error)).catch(() => undefined);
    }
  }
}

/** Thrown if the server refuses the token. Further attempts would not help. */
class RefusedTokenError extends ServerError {}

/** Opens the connection. @throws ServerError if the server has no events. */
async function connect({ url, token, timeoutMs }: EventsAddress, signal: AbortSignal): Promise<Readable> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  const response = await fetch(url, {
    redirect: 'error',
    signal: AbortSignal.any([signal, late.signal]),
    headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
  })
    .catch((error: unknown) => {
      throw new ServerError(`${url.href} does not answer: ${messageOf(causeOf(error))}`);
    })
    .finally(() => clearTimeout(timer));
  const { status, headers, body } = response;
  if (status === 200 && body && headers.get('content-type')?.startsWith('text/event-stream') === true)
    return Readable.fromWeb(body as never);
  await body?.cancel();
  if (status === 401) throw new RefusedTokenError(`${url.href} refuses the token`);
  const why = status === 503 ? 'accepts no more connections to its events, or is closing' : NO_EVENTS;
  throw new ServerError(`${url.href} ${why} (HTTP ${status})`);
}

const NO_EVENTS =
  'serves no events: start the server with the variable SIGIL_EVENTS_TOKEN; or set the option "events" of http(), and pass the path of the events to sigil top with --path';

/** Reads Server-Sent Events until they end. */
function read(events: Readable, watcher: ServerWatcher, signal: AbortSignal): Promise<void> {
  let event = '';
  const tell = async (lines: AsyncIterable<string>): Promise<void> => {
    for await (const line of lines)
      if (line.startsWith('event: ')) event = line.slice('event: '.length);
      else if (line.startsWith('data: '))
        watcher.told(event, objectOf(parseJson(line.slice('data: '.length))));
  };
  // The signal derived from this one may have been garbage-collected.
  return pipeline(events, linesOf, tell, { signal });
}
