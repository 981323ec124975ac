import { describe, expect, test } from '@jest/globals';
import { memoryBackend, type StoredSession } from '../../src/backend.js';
import { appOf, inspected, type Json, recordingLogger } from '../harness.js';

const OPENED = '2026-11-20T09:12:44.031Z';
const sessionOf = (at: number, more: Partial<StoredSession> = {}): StoredSession => ({
  id: `${String(at).padStart(8, '0')}-6f0e-4a53-9d0c-5f1f4f3a2f11`,
  version: 1,
  owner: null,
  openedAt: Date.parse(OPENED),
  state: {},
  ...more,
});

/** What an app tells of the sessions in its store. */
async function listing(sessions: readonly StoredSession[], asked: Json = {}): Promise<Json> {
  const backend = memoryBackend();
  for (const session of sessions) await backend.sessions.create(session, 60_000);
  const app = await appOf({ backend, state: { keys: ['k'.repeat(32)] } });
  const SIGIL_INSPECT_SESSIONS = JSON.stringify({ do: 'ls', ...asked });
  return inspected(app, { SIGIL_INSPECT: 'sessions', SIGIL_INSPECT_SESSIONS });
}

describe('the list of sessions', () => {
  test('tells whose each is, its client, revision and times, and of its id no more than the beginning', async () => {
    const state = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      info: { name: 'an-editor', version: '1.2.3', title: 'An Editor' },
    };
    const strange = { protocolVersion: '2099-01-01', info: { name: 'from the future' } };
    const answer = await listing([sessionOf(1, { owner: 'ada', state }), sessionOf(2, { state: strange })]);
    const expiresAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(answer).toEqual({
      format: 'sigil-answer/1',
      answer: {
        sessions: [
          {
            id: '00000001',
            owner: 'ada',
            client: { name: 'an-editor', version: '1.2.3' },
            protocolVersion: '2025-06-18',
            openedAt: OPENED,
            expiresAt,
          },
          { id: '00000002', owner: null, openedAt: OPENED, expiresAt },
        ],
        hasMore: false,
      },
    });
  });

  test('has as many as are asked for, and says that there are more', async () => {
    const all = Array.from({ length: 205 }, (_, at) => sessionOf(at));
    const counted = async (asked: Json) => {
      const { answer } = await listing(all, asked);
      const { sessions, hasMore } = answer as { sessions: Json[]; hasMore: boolean };
      return [new Set(sessions.map(({ id }) => id)).size, hasMore];
    };
    expect(await counted({})).toEqual([50, true]);
    expect(await counted({ limit: 204 })).toEqual([204, true]);
    expect(await counted({ limit: 205 })).toEqual([205, false]);
  });

  test.each([
    [{ limit: 0 }, '"limit" must be a positive integer'],
    [{ do: 'show' }, '"do" must be ls'],
  ])('refuses %j', async (asked, error) => {
    expect(await listing([], asked)).toEqual({ format: 'sigil-answer/1', error });
  });

  test('says that the sessions cannot be reached while the store is away, and the log says why', async () => {
    const backend = memoryBackend();
    const failure = new Error('connect ECONNREFUSED 127.0.0.1:5432');
    backend.sessions.list = () => {
      throw failure;
    };
    const logger = recordingLogger();
    const app = await appOf({ backend, state: { keys: ['k'.repeat(32)] }, logger });
    const SIGIL_INSPECT_SESSIONS = '{"do":"ls"}';
    expect(await inspected(app, { SIGIL_INSPECT: 'sessions', SIGIL_INSPECT_SESSIONS })).toEqual({
      format: 'sigil-answer/1',
      error: 'Sessions cannot be reached; try again later',
    });
    const details = { err: failure, operation: 'list' };
    expect(logger.lines).toEqual([{ level: 'error', message: 'the session store failed', details }]);
  });

  test('is not told by a program that keeps sessions to itself', async () => {
    const SIGIL_INSPECT_SESSIONS = '{"do":"ls"}';
    const answer = await inspected(await appOf({}), { SIGIL_INSPECT: 'sessions', SIGIL_INSPECT_SESSIONS });
    expect(answer).toMatchObject({ error: expect.stringContaining('set the option "backend"') });
  });
});
