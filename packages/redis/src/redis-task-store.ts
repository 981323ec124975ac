import {
  isTerminal,
  OverloadedError,
  readTask,
  type StoredTask,
  type TaskPage,
  type TaskStore,
} from '@sigil/core/backend';
import { OptionChecks, type OptionTable } from '@sigil/core/internal';
import { clientText, expiryMs } from './quota-script.js';
import { type RedisConnection, type RedisScript, redisScript } from './redis-connection.js';

/** How many tasks are kept. */
export interface RedisTaskStoreOptions {
  /**
   * Most tasks kept at once.
   * @default 100,000
   */
  readonly maxTasks?: number;
  /**
   * Most of them of one owner.
   * @default a quarter of maxTasks
   */
  readonly maxTasksPerOwner?: number;
  /**
   * Most bytes of JSON kept at once, over all tasks.
   * @default 256 MiB
   */
  readonly maxTaskBytes?: number;
  /**
   * Most of them of one owner.
   * @default a quarter of maxTaskBytes
   */
  readonly maxTaskBytesPerOwner?: number;
}

/** The names of the options. */
export const TASK_OPTIONS: OptionTable<RedisTaskStoreOptions> = {
  maxTasks: true,
  maxTasksPerOwner: true,
  maxTaskBytes: true,
  maxTaskBytesPerOwner: true,
};

/**
 * The beginning of all scripts. A task is one text, "version", a line break, JSON, which Redis drops when it expires. What is counted is
 * kept beside it: `info` has "number bytes owner" of each, with the number in the order of their creation, and `totals` the sums.
 */
const TASKS_LUA = `
local base = KEYS[1]
local info, totals, queued, due = base .. ':info', base .. ':totals', base .. ':queued', base .. ':due'
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function keyOf(id)
  return base .. '/' .. id
end

local function finishedOf(owner)
  return base .. ':finished:' .. owner
end

local function infoOf(id)
  local number, bytes, owner = string.match(redis.call('HGET', info, id) or '', '^(%d+) (%d+) (.*)$')
  return number, tonumber(bytes), owner
end

local function count(owner, tasks, bytes)
  redis.call('HINCRBY', totals, 'tasks', tasks)
  redis.call('HINCRBY', totals, 'bytes', bytes)
  if owner == '' then return end
  redis.call('HINCRBY', totals, 'bytes ' .. owner, bytes)
  local left = redis.call('HINCRBY', totals, 'tasks ' .. owner, tasks)
  if left <= 0 then redis.call('HDEL', totals, 'tasks ' .. owner, 'bytes ' .. owner) end
end

local function drop(id)
  local _, bytes, owner = infoOf(id)
  redis.call('DEL', keyOf(id))
  redis.call('HDEL', info, id)
  redis.call('ZREM', due, id)
  redis.call('ZREM', queued, id)
  if not owner then return end
  redis.call('ZREM', finishedOf(owner), id)
  count(owner, -1, -bytes)
end

-- Drops what has expired. It looks at some only: Redis does nothing else meanwhile.
local function sweep(most)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', due, '-inf', now, 'LIMIT', 0, most)) do drop(id) end
end
`;

/** How tasks are kept within limits, in scripts that end with these as arguments. */
const ROOM_LUA = `
local limits = { unpack(ARGV, #ARGV - 3) }

-- What there would be too much of, if anything, with so many tasks and bytes more.
local function lack(owner, tasks, bytes)
  local function exceeds(field, added, most)
    return added > 0 and (redis.call('HGET', totals, field) or 0) + added > tonumber(most)
  end
  if exceeds('tasks', tasks, limits[1]) then return 'tasks' end
  if exceeds('bytes', bytes, limits[2]) then return 'bytes' end
  if owner == '' then return nil end
  if exceeds('tasks ' .. owner, tasks, limits[3]) then return 'tasks of one owner' end
  if exceeds('bytes ' .. owner, bytes, limits[4]) then return 'bytes of one owner' end
end

-- Lets finished tasks of the owner give way, the oldest first, and returns what there is no room for; then none has given way.
local function makeRoom(owner, tasks, bytes, id)
  if not lack(owner, tasks, bytes) then return nil end
  sweep(1000)
  local giving = {}
  for _, finished in ipairs(redis.call('ZRANGE', finishedOf(owner), 0, 999)) do
    if not lack(owner, tasks, bytes) then break end
    if finished ~= id then
      local _, length = infoOf(finished)
      tasks, bytes = tasks - 1, bytes - (length or 0)
      table.insert(giving, finished)
    end
  end
  local lacking = lack(owner, tasks, bytes)
  if lacking then return lacking end
  for _, finished in ipairs(giving) do drop(finished) end
end

local function put(id, owner, number, task, status)
  redis.call('HSET', info, id, number .. ' ' .. #task .. ' ' .. owner)
  if status == 'queued' then redis.call('ZADD', queued, number, id) else redis.call('ZREM', queued, id) end
  if status == 'finished' then redis.call('ZADD', finishedOf(owner), number, id) end
end
`;

const CREATE = redisScript(`${TASKS_LUA}${ROOM_LUA}
local id, task, status, owner, ttlMs = unpack(ARGV)
sweep(100)
local lacking = makeRoom(owner, 1, #task, id)
if lacking then return lacking end
if ttlMs == '' then
  redis.call('SET', keyOf(id), task)
else
  redis.call('SET', keyOf(id), task, 'PX', ttlMs)
  redis.call('ZADD', due, now + ttlMs, id)
end
count(owner, 1, #task)
put(id, owner, redis.call('HINCRBY', totals, 'number', 1), task, status)
return 'kept'
`);

const REPLACE = redisScript(`${TASKS_LUA}${ROOM_LUA}
local id, task, status, version = unpack(ARGV)
local before = redis.call('GET', keyOf(id))
if not before or tonumber(string.match(before, '^%d+')) ~= version - 1 then return 'changed' end
local number, bytes, owner = infoOf(id)
local lacking = makeRoom(owner, 0, #task - bytes, id)
if lacking then return lacking end
redis.call('SET', keyOf(id), task, 'KEEPTTL')
count(owner, 0, #task - bytes)
put(id, owner, number, task, status)
return 'kept'
`);

/** Gives where the next page begins, and the ids. */
const QUEUED = redisScript(`${TASKS_LUA}
local most, cursor = ARGV[1], ARGV[2]
sweep(1000)
local found = redis.call('ZRANGEBYSCORE', queued, cursor, '+inf', 'LIMIT', 0, most)
local page = { #found == tonumber(most) and '(' .. redis.call('ZSCORE', queued, found[#found]) or '' }
for _, id in ipairs(found) do
  if redis.call('EXISTS', keyOf(id)) == 1 then table.insert(page, id) end
end
return page
`);

/**
 * Keeps tasks in Redis, for all processes. Where there is no room, the oldest finished task of the same owner gives way; a task at work
 * never does, nor one of another owner. Clients that cannot be told apart are one owner, held to the total alone. Where none may give way
 * the new task is refused.
 *
 * @example
 * ```ts
 * const store = new RedisTaskStore(new RedisConnection({ url: 'redis://127.0.0.1:6379' }), { maxTasks: 500 });
 * const app = await createApp({ name: 'shop', version: '1.0.0', tasks: { store } });
 * ```
 */
export class RedisTaskStore implements TaskStore {
  readonly #connection: RedisConnection;
  readonly #base: string;
  readonly #limits: readonly number[];

  /**
   * @param connection to the Redis that keeps them.
   * @param options how much is kept.
   * @throws DefinitionError when a limit is no positive integer.
   */
  constructor(connection: RedisConnection, options: RedisTaskStoreOptions = {}) {
    OptionChecks.limits('RedisTaskStore', options, TASK_OPTIONS);
    const {
      maxTasks = 100_000,
      maxTasksPerOwner = Math.ceil(maxTasks / 4),
      maxTaskBytes = 256 * 1024 * 1024,
      maxTaskBytesPerOwner = Math.ceil(maxTaskBytes / 4),
    } = options;
    this.#connection = connection;
    this.#base = `{${connection.prefix}:tasks}`;
    this.#limits = [maxTasks, maxTaskBytes, maxTasksPerOwner, maxTaskBytesPerOwner];
  }

  async create(stored: StoredTask): Promise<void> {
    const { ttlMs } = stored.task;
    const ttl = ttlMs === null ? '' : expiryMs(ttlMs);
    await this.#run(CREATE, [...entryOf(stored), clientText(stored.owner), ttl]);
  }

  async get(taskId: string): Promise<StoredTask | undefined> {
    const text = await this.#connection.send('GET', `${this.#base}/${taskId}`);
    if (typeof text !== 'string') return undefined;
    return readTask(text.slice(text.indexOf('\n')));
  }

  replace(stored: StoredTask): Promise<boolean> {
    return this.#run(REPLACE, [...entryOf(stored), stored.version]);
  }

  async queued(limit: number, cursor = '-inf'): Promise<TaskPage> {
    const reply = await this.#connection.run(QUEUED, [this.#base], [limit, cursor]);
    const [next, ...taskIds] = reply as readonly string[];
    return next ? { taskIds, cursor: next } : { taskIds };
  }

  /** @throws OverloadedError when there is no room. */
  async #run(script: RedisScript, args: readonly (string | number)[]): Promise<boolean> {
    const reply = await this.#connection.run(script, [this.#base], [...args, ...this.#limits]);
    if (reply === 'kept' || reply === 'changed') return reply === 'kept';
    throw new OverloadedError(`The tasks that are kept are at their limit, in ${reply as string}`);
  }
}

/** What scripts know of a task. */
function entryOf(stored: StoredTask): readonly string[] {
  const { taskId, status } = stored.task;
  const text = `${stored.version}\n${JSON.stringify(stored)}`;
  return [taskId, text, isTerminal(status) ? 'finished' : stored.isQueued ? 'queued' : 'waiting'];
}
