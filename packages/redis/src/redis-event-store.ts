import type { EventStore, StreamName, StreamRest } from '@sigil/core/backend';
import type { StoreLimits } from '@sigil/core/internal';
import { type RedisConnection, redisScript } from './redis-connection.js';

/** Number of bytes that an event counts in addition to its message. */
const OVERHEAD_BYTES = 200;

/** The fields of entries: one for a message, and one for the end of a stream. */
const [MESSAGE, END] = ['m', 'e'];

/**
 * The beginning of scripts about the streams of one session. `KEYS[1]` is the prefix of its keys. Each stream is a
 * Redis stream. An index contains all streams by expiry, the bytes of each stream, and the sum under the name ''.
 */
const STREAMS_LUA = `
local base = KEYS[1]
local index, bytes = base .. ':index', base .. ':bytes'

local function keyOf(stream)
  return base .. '/' .. stream
end

local function count(stream, added)
  redis.call('HINCRBY', bytes, '/' .. stream, added)
  return redis.call('HINCRBY', bytes, '', added)
end

local function forget(stream)
  redis.call('DEL', keyOf(stream))
  if redis.call('ZREM', index, stream) == 0 then return end
  count(stream, -tonumber(redis.call('HGET', bytes, '/' .. stream) or 0))
  redis.call('HDEL', bytes, '/' .. stream)
end
`;

/** Adds entries to a stream: a message, the end of the stream, or both. Nothing is added after an end. */
const APPEND = redisScript(`${STREAMS_LUA}
local stream, fields, message, maxAgeMs, maxEvents, maxBytes = unpack(ARGV)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for _, expired in ipairs(redis.call('ZRANGEBYSCORE', index, '-inf', now)) do forget(expired) end

local key = keyOf(stream)
local last = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
if last and last[2][1] == '${END}' then return false end

-- In microseconds no two events have one id, also when what was before has been forgotten.
local id = time[1] .. string.format('%06d', time[2]) .. '-'
local total = 0
local function add(at, field, text)
  local added = redis.pcall('XADD', key, id .. at, field, text)
  -- The clock has been set back.
  if type(added) == 'table' then added = redis.call('XADD', key, '*', field, text) end
  redis.call('ZADD', index, now + maxAgeMs, stream)
  total = count(stream, #text + ${OVERHEAD_BYTES})
  return added
end

local isMessage, isEnd = fields ~= '${END}', fields ~= '${MESSAGE}'
local isTooLarge = #message + ${OVERHEAD_BYTES} > tonumber(maxBytes)
if isTooLarge and not isEnd then return id .. '0' end
local added = id .. '0'
if isMessage and not isTooLarge then added = add('0', '${MESSAGE}', message) end
if isEnd then add('1', '${END}', '') end

-- Streams that were written to longest ago go whole.
while total > tonumber(maxBytes) do
  local oldest = redis.call('ZRANGE', index, 0, 0)[1]
  if oldest == stream then break end
  forget(oldest)
  total = tonumber(redis.call('HGET', bytes, '') or 0)
end
while total > tonumber(maxBytes) or redis.call('XLEN', key) > tonumber(maxEvents) do
  local first = redis.call('XRANGE', key, '-', '+', 'COUNT', 1)[1]
  -- Redis has dropped some of it for want of memory, and what was counted is wrong.
  if not first then return forget(stream) or added end
  redis.call('XDEL', key, first[1])
  total = count(stream, -#first[2][2] - ${OVERHEAD_BYTES})
end
for _, kept in ipairs({ key, index, bytes }) do redis.call('PEXPIRE', kept, maxAgeMs) end
return added
`);

const FORGET = redisScript(`${STREAMS_LUA}
if ARGV[1] then return forget(ARGV[1]) end
for _, stream in ipairs(redis.call('ZRANGE', index, 0, -1)) do redis.call('DEL', keyOf(stream)) end
redis.call('DEL', index, bytes)
`);

/**
 * Stores the events of streams in Redis, so that clients can resume the streams in any process. All streams of a
 * session are on one node of a cluster.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 */
export class RedisEventStore implements EventStore {
  readonly #bounds: readonly number[];

  constructor(
    private readonly connection: RedisConnection,
    { maxEventAgeMs, maxEventsPerStream, maxEventBytesPerSession }: Required<StoreLimits>,
  ) {
    this.#bounds = [maxEventAgeMs, maxEventsPerStream, maxEventBytesPerSession];
  }

  async append({ session, stream }: StreamName, message: string, ends = false): Promise<string | undefined> {
    return this.#add(session, stream, ends ? MESSAGE + END : MESSAGE, message);
  }

  async end({ session, stream }: StreamName): Promise<void> {
    await this.#add(session, stream, END, '');
  }

  async after({ session, stream }: StreamName, id?: string): Promise<StreamRest> {
    if (id !== undefined && !/^\d{1,19}-\d{1,19}$/.test(id)) return { events: [], ended: false };
    const from = id === undefined ? '-' : `(${id}`;
    const reply = await this.connection.send('XRANGE', `${this.#baseOf(session)}/${stream}`, from, '+');
    const entries = reply as readonly (readonly [string, readonly [string, string]])[];
    const messages = entries.filter(([, [field]]) => field === MESSAGE);
    return {
      events: messages.map(([eventId, [, message]]) => ({ id: eventId, message })),
      ended: messages.length < entries.length,
    };
  }

  async forget(session: string, stream?: string): Promise<void> {
    await this.connection.run(FORGET, [this.#baseOf(session)], stream === undefined ? [] : [stream]);
  }

  async #add(session: string, stream: string, fields: string, message: string): Promise<string | undefined> {
    const args = [stream, fields, message, ...this.#bounds];
    const id = (await this.connection.run(APPEND, [this.#baseOf(session)], args)) as string | null;
    return id ?? undefined;
  }

  #baseOf(session: string): string {
    // Encoded, so that it does not contain the characters that delimit hash tags and keys.
    return `{${this.connection.prefix}:events:${encodeURIComponent(session)}}`;
  }
}
