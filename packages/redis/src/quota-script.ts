/**
 * The first lines of each script that limits how many items, such as sessions, are stored in total and for each client.
 * Each item has its own key, which expires in Redis. The index is a sorted set of all these keys, with the times when
 * they expire. When the expiry of a key is extended, the index is not updated, to save time. So when a time in the
 * index has passed, the script checks whether the key still exists.
 *
 * `KEYS[1]` is the prefix of all keys. It contains a hash tag, so that all keys are on the same node of a cluster.
 */
export const QUOTA_LUA = `
local base = KEYS[1]
local index, clients = base .. ':index', base .. ':clients'
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function keyOf(id)
  return base .. '/' .. id
end

local function give(client, id)
  if redis.call('ZREM', index, client .. '\\n' .. id) == 0 or client == '' then return end
  if redis.call('HINCRBY', clients, client, -1) <= 0 then redis.call('HDEL', clients, client) end
end

-- Gives back what has expired. It looks at some only: Redis does nothing else meanwhile.
local function sweep(most)
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', index, '-inf', now, 'LIMIT', 0, most)) do
    local client, id = string.match(member, '^([^\\n]*)\\n(.*)$')
    local left = redis.call('PTTL', keyOf(id))
    if left < 0 then give(client, id) else redis.call('ZADD', index, now + left, member) end
  end
end

local function isFull(client, most, mostOfClient)
  if redis.call('ZCARD', index) >= tonumber(most) then return true end
  return client ~= '' and tonumber(redis.call('HGET', clients, client) or 0) >= tonumber(mostOfClient)
end

-- Counts one more, and returns whether there was room. Indistinguishable clients are ''.
local function take(client, id, forMs, most, mostOfClient)
  sweep(100)
  if isFull(client, most, mostOfClient) then sweep(1000) end
  if isFull(client, most, mostOfClient) then return false end
  redis.call('ZADD', index, now + forMs, client .. '\\n' .. id)
  if client ~= '' then redis.call('HINCRBY', clients, client, 1) end
  return true
end
`;

/**
 * Returns the text that stands for a client in the counts of the scripts. It contains no line breaks, and is empty if
 * the client is unknown.
 */
export function clientText(client: string | null | undefined): string {
  return client === undefined || client === null ? '' : JSON.stringify(client);
}

/** Converts milliseconds to a positive integer, because Redis only accepts such numbers as an expiry. */
export function expiryMs(ms: number): number {
  return Math.max(1, Math.ceil(ms));
}
