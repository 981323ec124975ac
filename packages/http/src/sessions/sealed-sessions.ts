import { OverloadedError, type SessionStore, type StoredSession } from '@sigil/core/backend';
import { isObject } from '@sigil/core/internal';
import type { EndpointBackend } from '@sigil/core/transport';

/** Maximum length of a session id, in characters, because each request has it in a header. */
const MOST_LENGTH = 2_048;
/** The purpose under which sessions are sealed. */
const PURPOSE = 'session';
/** How long one process may take to restore a session, and how often others check meanwhile, in milliseconds. */
const RESTORING_MS = { all: 2_000, each: 50 };
/** Added to the version of a restored session, so that its versions are above all earlier ones. */
const VERSIONS_BETWEEN = 1_000_000;

/**
 * Splits the session id that a client sends: either `<id>` or `<id>.<sealed>`. `sealed` is the encrypted state of the
 * session.
 */
export function readName(name: string): { readonly id: string; readonly sealed: string | undefined } {
  const at = name.indexOf('.');
  return at < 0 ? { id: name, sealed: undefined } : { id: name.slice(0, at), sealed: name.slice(at + 1) };
}

/**
 * Restores sessions after their store has lost its data. For this purpose, the id that a client sends contains the
 * encrypted state of its session. A session counts as lost if it was opened before the records of the `StateStore`
 * begin. The `StateStore` also records which sessions have ended, so that they are not restored.
 */
export class SealedSessions {
  /**
   * @param sealedMs the maximum age of a session that can be restored, in milliseconds since the session was opened.
   */
  constructor(
    private readonly backend: EndpointBackend,
    private readonly store: SessionStore,
    private readonly sealedMs: number,
    private readonly idleMs: number,
  ) {}

  /**
   * Returns the id that the client of a new session must send: the session's id and sealed state. If both together are
   * too long, returns the session's id alone.
   */
  async nameOf(session: StoredSession): Promise<string> {
    const sealed = await this.backend.seal(PURPOSE, session);
    const name = `${session.id}.${sealed}`;
    return name.length > MOST_LENGTH ? session.id : name;
  }

  /**
   * Stores a session again if the store has lost it.
   *
   * @param here the local copy of the session, which may be newer than the sealed state.
   * @returns the restored session; `undefined` if the store has not lost data, or if the session cannot be restored.
   */
  async restore(name: string, here: StoredSession | undefined): Promise<StoredSession | undefined> {
    const { id, sealed } = readName(name);
    if (sealed === undefined || name.length > MOST_LENGTH) return undefined;
    const opened: unknown = await this.backend.unseal(PURPOSE, sealed);
    if (!isSession(opened) || opened.id !== id) return undefined;
    const { client, openedAt } = opened;
    const ageMs = Math.max(0, Date.now() - openedAt);
    if (ageMs >= this.sealedMs) return undefined;
    const { states } = this.backend;
    if ((await states.use(`session ${id}`, 1, client, 'states', ageMs)) !== 'forgotten') return undefined;
    // If requests arrive at the same time, one of them stores the session.
    if ((await states.use(`session ${id} again`, RESTORING_MS.all, client)) !== 'first')
      return this.#wait(id);
    const last = here ?? opened;
    const session = { ...last, version: last.version + VERSIONS_BETWEEN };
    await this.store.create(session, this.idleMs);
    return session;
  }

  /** Records that a session has ended, so that it is not restored. */
  async end({ id, client }: StoredSession): Promise<void> {
    await this.backend.states.use(`session ${id}`, this.sealedMs, client);
  }

  async #wait(id: string): Promise<StoredSession> {
    for (let waitedMs = 0; waitedMs < RESTORING_MS.all; waitedMs += RESTORING_MS.each) {
      const found = await this.store.use(id, this.idleMs);
      if (found !== undefined && found !== 'unchanged') return found;
      await new Promise((resolve) => setTimeout(resolve, RESTORING_MS.each));
    }
    throw new OverloadedError('The session is being restored; try again later');
  }
}

/** Whether unsealed data is a session: another version of this program may have sealed it. */
function isSession(value: unknown): value is StoredSession {
  if (!isObject(value)) return false;
  const { id, version, owner, openedAt, state } = value;
  return (
    typeof id === 'string' &&
    typeof version === 'number' &&
    typeof openedAt === 'number' &&
    (owner === null || typeof owner === 'string') &&
    isObject(state)
  );
}
