import type { KeptSession, SessionPage, SessionStore } from '../backend/backend.js';
import { listPages } from '../transport/list-pages.js';
import { readSession } from '../engine/session-state.js';
import { invalidParams, OverloadedError } from '../errors/errors.js';
import type { Logger } from '../protocol/logging.js';

/** A session, as the command `sigil` shows it to the people who run the server. Times are in ISO 8601 format. */
export interface ListedSession {
  /** The beginning of the session's id. The whole id could give access to the session. */
  readonly id: string;
  /** The id of the session's principal; `null` if the session has no principal. */
  readonly owner: string | null;
  /** The name and version that the client reported. */
  readonly client?: { readonly name: string; readonly version?: string | undefined };
  /** The protocol revision of the session; absent if this version of the program does not know the revision. */
  readonly protocolVersion?: string;
  readonly openedAt: string;
  /**
   * When the session expires, unless a client uses it before that time. The clock of the session store determines this
   * time.
   */
  readonly expiresAt: string;
}

/** The sessions that `inspectSessions()` lists, in the order of the store. */
export interface SessionListing {
  readonly sessions: readonly ListedSession[];
  /** Whether the store contains further sessions, beyond the requested maximum. */
  readonly hasMore: boolean;
}

/** How many sessions are read at once. */
const PAGE = 100;
/** Number of characters of an id that are shown. */
const TOLD_LENGTH = 8;
const OWN_MEMORY =
  'The program keeps sessions in its own memory, so other processes cannot read them: set the option "backend" of createApp()';

/**
 * Answers a request of the command `sigil sessions`. The only request is `{ do: 'ls', limit }`: it lists at most
 * `limit` sessions.
 *
 * @param store the shared session store; absent if the process stores sessions only in its own memory.
 * @param logger receives the reason if the store cannot be reached.
 * @throws ProtocolError if the request is unknown, or if the process has no shared session store.
 * @throws OverloadedError if the store cannot be reached.
 */
export async function inspectSessions(
  store: SessionStore | undefined,
  asked: Readonly<Record<string, unknown>>,
  logger: Logger,
): Promise<SessionListing> {
  if (asked['do'] !== 'ls') throw invalidParams('"do" must be ls');
  if (!store) throw invalidParams(OWN_MEMORY);
  const { items, hasMore } = await listPages(asked['limit'], async (from) => {
    const { sessions, cursor } = await page(store, from, logger);
    return { cursor, items: sessions.map((kept) => [kept.id, listedSession(kept)]) };
  });
  return { sessions: items, hasMore };
}

/**
 * Returns a page of sessions. Errors of the store are only logged, because they may contain names of hosts
 * and users.
 */
async function page(store: SessionStore, from: string | undefined, logger: Logger): Promise<SessionPage> {
  try {
    return await store.list(PAGE, from);
  } catch (error) {
    if (error instanceof OverloadedError) throw error;
    logger.error({ err: error, operation: 'list' }, 'the session store failed');
    throw new OverloadedError('Sessions cannot be reached; try again later', { cause: error });
  }
}

function listedSession({ id, owner, openedAt, expiresAt, state }: KeptSession): ListedSession {
  const { revision, info } = readSession(state) ?? {};
  return {
    id: id.slice(0, TOLD_LENGTH),
    owner,
    ...(info && { client: { name: info.name, version: info.version } }),
    ...(revision && { protocolVersion: revision.version }),
    openedAt: new Date(openedAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
  };
}
