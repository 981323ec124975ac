import type { SessionPage, SessionStore, StoredSession } from '@sigil/core/backend';
import { quotaExceeded, type StoreLimits } from '@sigil/core/internal';
import { clientText, expiryMs, QUOTA_LUA } from './quota-script.js';
import { type RedisConnection, redisScript } from './redis-connection.js';

// A session is one text, because that takes the least memory: "version client", a line break, and the rest as JSON.

const CREATE = redisScript(`${QUOTA_LUA}
local id, client, idleMs = ARGV[1], ARGV[2], ARGV[3]
if not take(client, id, idleMs, ARGV[6], ARGV[7]) then return 0 end
redis.call('SET', keyOf(id), ARGV[4] .. ' ' .. client .. '\\n' .. ARGV[5], 'PX', idleMs)
return 1
`);

const USE = redisScript(`
local session = redis.call('GETEX', KEYS[1], 'PX', ARGV[1])
if session and string.match(session, '^%d+') == ARGV[2] then return 1 end
return session
`);

// The owner of a session does not change.
const REPLACE = redisScript(`
local session = redis.call('GET', KEYS[1])
if not session then return 0 end
local version, client = string.match(session, '^(%d+) ([^\\n]*)')
if tonumber(version) ~= ARGV[1] - 1 then return 0 end
redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. client .. '\\n' .. ARGV[2], 'PX', ARGV[3])
return 1
`);

const DELETE = redisScript(`${QUOTA_LUA}
local id = ARGV[1]
local session = redis.call('GET', keyOf(id))
if not session then return 0 end
redis.call('DEL', keyOf(id))
give(string.match(session, '^%d+ ([^\\n]*)'), id)
return 1
`);

/**
 * Returns the start of the next page, and for each session its id, its text and its expiry, in the order of the index.
 */
const LIST = redisScript(`${QUOTA_LUA}
local most, cursor, start = tonumber(ARGV[1]), ARGV[2], 0
sweep(1000)
local score, last = string.match(cursor, '^(%S+) (.*)$')
if score then
  -- Behind the last of the page before. Where that has gone, those that have its score may come twice.
  local isThere = redis.call('ZSCORE', index, last) == score
  start = isThere and redis.call('ZRANK', index, last) + 1 or redis.call('ZCOUNT', index, '-inf', '(' .. score)
end
local found = redis.call('ZRANGE', index, start, start + most - 1, 'WITHSCORES')
local page = { '' }
for at = 1, #found, 2 do
  local id = string.match(found[at], '^[^\\n]*\\n(.*)$')
  local session = redis.call('GET', keyOf(id))
  if session then
    for _, part in ipairs({ id, session, now + redis.call('PTTL', keyOf(id)) }) do table.insert(page, part) end
  end
end
if redis.call('ZCARD', index) > start + most then page[1] = found[#found] .. ' ' .. found[#found - 1] end
return page
`);

/**
 * Stores sessions in Redis, where all processes of an app can use them. Each use of a session takes one round trip to
 * Redis.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
 */
export class RedisSessionStore implements SessionStore {
  readonly #base: string;

  constructor(
    private readonly connection: RedisConnection,
    private readonly limits: Required<StoreLimits>,
  ) {
    this.#base = `{${connection.prefix}:sessions}`;
  }

  async create(session: StoredSession, idleMs: number): Promise<void> {
    const { id, version, client } = session;
    const { maxSessions, maxSessionsPerClient } = this.limits;
    const kept = [id, clientText(client), expiryMs(idleMs), version, jsonOf(session)];
    const args = [...kept, maxSessions, maxSessionsPerClient];
    if ((await this.connection.run(CREATE, [this.#base], args)) === 1) return;
    throw quotaExceeded('sessions are kept', maxSessions, maxSessionsPerClient);
  }

  async use(
    id: string,
    idleMs: number,
    knownVersion?: number,
  ): Promise<StoredSession | 'unchanged' | undefined> {
    const reply = await this.connection.run(USE, [this.#keyOf(id)], [expiryMs(idleMs), knownVersion ?? '']);
    if (reply === 1) return 'unchanged';
    return typeof reply === 'string' ? parse(id, reply) : undefined;
  }

  async replace(session: StoredSession, idleMs: number): Promise<boolean> {
    const args = [session.version, jsonOf(session), expiryMs(idleMs)];
    return (await this.connection.run(REPLACE, [this.#keyOf(session.id)], args)) === 1;
  }

  async delete(id: string): Promise<boolean> {
    return (await this.connection.run(DELETE, [this.#base], [id])) === 1;
  }

  async list(limit: number, cursor = ''): Promise<SessionPage> {
    const reply = await this.connection.run(LIST, [this.#base], [limit, cursor]);
    const [next, ...parts] = reply as readonly (string | number)[];
    const sessions = Array.from({ length: parts.length / 3 }, (_, at) => {
      const [id, text, expiresAt] = parts.slice(3 * at, 3 * at + 3);
      return { ...parse(String(id), String(text)), expiresAt: Number(expiresAt) };
    });
    return next === '' ? { sessions } : { sessions, cursor: String(next) };
  }

  #keyOf(id: string): string {
    return `${this.#base}/${id}`;
  }
}

/** Returns the part of a session that is stored as JSON. The other values are stored before it. */
function jsonOf({ owner, openedAt, state }: StoredSession): string {
  return JSON.stringify({ owner, openedAt, state });
}

function parse(id: string, text: string): StoredSession {
  const [, version, client = '', json = ''] = /^(\d+) ([^\n]*)\n([^]*)$/.exec(text) ?? [];
  const rest = JSON.parse(json) as Pick<StoredSession, 'owner' | 'openedAt' | 'state'>;
  const counted = client === '' ? {} : { client: JSON.parse(client) as string };
  return { id, version: Number(version), ...counted, ...rest };
}
