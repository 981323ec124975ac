import {
  OverloadedError,
  readTask,
  type StoredTask,
  type TaskBacklog,
  type TaskClaim,
  type TaskPage,
  type TaskRecord,
  type TaskRunName,
  type TaskStore,
} from '@sigil/core/backend';
import { noTasks, StoreClock, type StoreLimits, TASK_STATUSES } from '@sigil/core/internal';
import { clientText, expiryMs } from './quota-script.js';
import type { RedisReply } from './redis-clients.js';
import { type RedisConnection, type RedisScript, redisScript } from './redis-connection.js';
import type { RedisLink } from './redis-link.js';

/** The fields of a task: its JSON, and the fields that change without it. */
const FIELDS = ['json', 'version', 'run', 'attempts', 'notBefore'];

/**
 * The beginning of all scripts. A task is a hash of `FIELDS`, which Redis expires. Counters are kept beside it: `info`
 * has "bytes status tool owner" of each task, `order` all tasks by creation, and `totals` the sums. Claimable tasks are
 * kept by tool: the tasks of one owner are sorted by `notBefore`, and the owners by their turn. A turn is the later of
 * two times: the time of the owner's first task, and the time of its last claim. A turn may be too early; `CLAIM`
 * corrects it. The times in both indexes are in microseconds.
 */
const TASKS_LUA = `
local base = KEYS[1]
local info, totals, order = base .. ':info', base .. ':totals', base .. ':order'
local due, tools = base .. ':due', base .. ':tools'
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local function keyOf(id)
  return base .. '/' .. id
end

local function finishedOf(owner)
  return base .. ':finished:' .. owner
end

local function ownersOf(tool)
  return base .. ':owners:' .. tool
end

local function claimableOf(tool, owner)
  return base .. ':claimable:' .. tool .. '\\n' .. owner
end

local function infoOf(id)
  local text = redis.call('HGET', info, id) or ''
  local bytes, status, tool, owner = string.match(text, '^(%d+) ([%l_]+) ([^\\n]*)\\n(.*)$')
  return tonumber(bytes), tool, owner, status
end

local function read(id)
  return redis.call('HMGET', keyOf(id), '${FIELDS.join("', '")}')
end

local function count(owner, tasks, bytes)
  redis.call('HINCRBY', totals, 'tasks', tasks)
  redis.call('HINCRBY', totals, 'bytes', bytes)
  redis.call('HINCRBY', totals, 'bytes ' .. owner, bytes)
  if redis.call('HINCRBY', totals, 'tasks ' .. owner, tasks) > 0 then return end
  redis.call('HDEL', totals, 'tasks ' .. owner, 'bytes ' .. owner, 'served ' .. owner)
end

local function countStatus(status, tasks)
  if status then redis.call('HINCRBY', totals, 'status ' .. status, tasks) end
end

local function unschedule(id, tool, owner)
  local claimable, owners = claimableOf(tool, owner), ownersOf(tool)
  redis.call('ZREM', claimable, id)
  if redis.call('EXISTS', claimable) == 1 then return end
  redis.call('ZREM', owners, owner)
  if redis.call('EXISTS', owners) == 0 then redis.call('SREM', tools, tool) end
end

local function schedule(id, tool, owner, delayMs)
  local at = now + delayMs * 1000
  unschedule(id, tool, owner)
  redis.call('ZADD', claimableOf(tool, owner), at, id)
  redis.call('ZADD', ownersOf(tool), 'LT', at, owner)
  redis.call('SADD', tools, tool)
  redis.call('HSET', keyOf(id), 'notBefore', math.floor(at / 1000))
end

local function drop(id)
  local bytes, tool, owner, status = infoOf(id)
  redis.call('DEL', keyOf(id))
  redis.call('HDEL', info, id)
  redis.call('ZREM', due, id)
  redis.call('ZREM', order, id)
  if not owner then return end
  redis.call('ZREM', finishedOf(owner), id)
  unschedule(id, tool, owner)
  count(owner, -1, -bytes)
  countStatus(status, -1)
end

-- Drops what has expired. It looks at some only: Redis does nothing else meanwhile.
local function sweep(most)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', due, '-inf', now, 'LIMIT', 0, most)) do drop(id) end
end
`;

/** Applies the limits on tasks, in scripts whose arguments begin with the values to store and end with the limits. */
const ROOM_LUA = `
local id, json, status, version, run, attempts, delayMs = unpack(ARGV, 1, 7)
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
local function makeRoom(owner, tasks, bytes)
  if not lack(owner, tasks, bytes) then return nil end
  sweep(1000)
  local giving = {}
  for _, finished in ipairs(redis.call('ZRANGE', finishedOf(owner), 0, 999)) do
    if not lack(owner, tasks, bytes) then break end
    if finished ~= id then
      tasks, bytes = tasks - 1, bytes - (infoOf(finished) or 0)
      table.insert(giving, finished)
    end
  end
  local lacking = lack(owner, tasks, bytes)
  if lacking then return lacking end
  for _, finished in ipairs(giving) do drop(finished) end
end

local isFinished = status == 'completed' or status == 'cancelled' or status == 'failed'

-- It deletes first: a Redis that is full lets a script write after that, so that tasks come to their end.
local function put(tool, owner)
  redis.call('ZREM', finishedOf(owner), id)
  redis.call('HSET', keyOf(id), 'json', json, 'version', version, 'run', run, 'attempts', attempts)
  local _, _, _, before = infoOf(id)
  redis.call('HSET', info, id, #json .. ' ' .. status .. ' ' .. tool .. '\\n' .. owner)
  if status ~= before then
    countStatus(before, -1)
    countStatus(status, 1)
  end
  if isFinished then redis.call('ZADD', finishedOf(owner), redis.call('ZSCORE', order, id), id) end
  if delayMs == 'same' then return end
  if delayMs ~= 'never' then return schedule(id, tool, owner, delayMs) end
  redis.call('HSET', keyOf(id), 'notBefore', '')
  unschedule(id, tool, owner)
end
`;

const CREATE = redisScript(`${TASKS_LUA}${ROOM_LUA}
local tool, owner, ttlMs = ARGV[8], ARGV[9], ARGV[10]
sweep(100)
local lacking = makeRoom(owner, 1, #json)
if lacking then return lacking end
count(owner, 1, #json)
redis.call('ZADD', order, redis.call('HINCRBY', totals, 'number', 1), id)
put(tool, owner)
if ttlMs == '' then return 'kept' end
redis.call('PEXPIRE', keyOf(id), ttlMs)
redis.call('ZADD', due, now + ttlMs * 1000, id)
return 'kept'
`);

const REPLACE = redisScript(`${TASKS_LUA}${ROOM_LUA}
local before = redis.call('HGET', keyOf(id), 'version')
if not before or tonumber(before) ~= version - 1 then return 'changed' end
local bytes, tool, owner = infoOf(id)
local lacking = makeRoom(owner, 0, #json - bytes)
if lacking then return lacking end
put(tool, owner)
count(owner, 0, #json - bytes)
return 'kept'
`);

/** Returns the time in microseconds, and the claimed tasks; after the deadline, no tasks. */
const CLAIM = redisScript(`${TASKS_LUA}
local run, limit, leaseMs, taskId, excludeTools, excludeOwners, overdueMs, deadline = unpack(ARGV)
local claimed = { now }
if now > deadline * 1000 then return claimed end

local function begin(id, tool, owner)
  schedule(id, tool, owner, leaseMs)
  redis.call('HINCRBY', keyOf(id), 'version', 1)
  redis.call('HINCRBY', keyOf(id), 'attempts', 1)
  redis.call('HSET', keyOf(id), 'run', run)
  table.insert(claimed, read(id))
end

if taskId ~= '' then
  local _, tool, owner = infoOf(taskId)
  local at = owner and redis.call('ZSCORE', claimableOf(tool, owner), taskId)
  if at and tonumber(at) <= now and redis.call('EXISTS', keyOf(taskId)) == 1 then begin(taskId, tool, owner) end
  return claimed
end

local function setOf(json)
  local set = {}
  for _, name in ipairs(cjson.decode(json)) do set[name] = true end
  return set
end

local leftTools, leftOwners = setOf(excludeTools), setOf(excludeOwners)
-- What has no run is claimed if it could be claimed since then.
local latest = now - overdueMs * 1000
-- It grows with every task, so that no two have one turn.
local turn = math.max(now, tonumber(redis.call('HGET', totals, 'turn') or 0))
-- It looks at so many only: Redis does nothing else meanwhile.
local looks = 1000

-- Whose turn it is next for a tool, and with which task.
local function nextOf(tool)
  local owners, passed = ownersOf(tool), 0
  while looks > 0 do
    looks = looks - 1
    local owner, at = unpack(redis.call('ZRANGE', owners, passed, passed, 'WITHSCORES'))
    if not owner or tonumber(at) > turn then return nil end
    local id, notBefore = unpack(redis.call('ZRANGE', claimableOf(tool, owner), 0, 0, 'WITHSCORES'))
    local served = redis.call('HGET', totals, 'served ' .. owner) or 0
    local real = math.max(tonumber(notBefore or 'inf'), tonumber(served))
    if leftOwners[owner] then
      passed = passed + 1
    elseif real > tonumber(at) then
      redis.call('ZADD', owners, real, owner)
    else
      local others = 0
      while id and latest < tonumber(notBefore) and tonumber(notBefore) <= now
        and redis.call('HGET', keyOf(id), 'run') == '' do
        others, looks = others + 1, looks - 1
        if looks <= 0 then return nil end
        id, notBefore = unpack(redis.call('ZRANGE', claimableOf(tool, owner), others, others, 'WITHSCORES'))
      end
      if not id or tonumber(notBefore) > now then
        passed = passed + 1
      elseif redis.call('EXISTS', keyOf(id)) == 0 then
        drop(id)
      else
        return { tool = tool, owner = owner, at = real, notBefore = tonumber(notBefore), id = id }
      end
    end
  end
end

local nexts = {}
for _, tool in ipairs(redis.call('SMEMBERS', tools)) do
  if not leftTools[tool] then nexts[tool] = nextOf(tool) end
end
while #claimed <= tonumber(limit) do
  local first
  for _, other in pairs(nexts) do
    local isEarlier = not first or other.at < first.at
    if isEarlier or (other.at == first.at and other.notBefore < first.notBefore) then first = other end
  end
  if not first then break end
  begin(first.id, first.tool, first.owner)
  turn = turn + 1
  redis.call('HSET', totals, 'turn', turn, 'served ' .. first.owner, turn)
  for tool, other in pairs(nexts) do
    if other.owner == first.owner then nexts[tool] = nextOf(tool) end
  end
end
return claimed
`);

/** Returns the positions of runs that have lost their lease. */
const RENEW = redisScript(`${TASKS_LUA}
local lost = {}
for at = 2, #ARGV, 2 do
  local id, run = ARGV[at], ARGV[at + 1]
  if redis.call('HGET', keyOf(id), 'run') == run then
    local _, tool, owner = infoOf(id)
    schedule(id, tool, owner, ARGV[1])
  else
    table.insert(lost, at / 2 - 1)
  end
end
return lost
`);

/**
 * Returns how many tasks can be claimed, how many milliseconds the first has been claimable, and how many tasks of each
 * status are kept.
 */
const BACKLOG = redisScript(`${TASKS_LUA}
local waiting, first = 0, now
sweep(1000)
for _, tool in ipairs(redis.call('SMEMBERS', tools)) do
  for _, owner in ipairs(redis.call('ZRANGE', ownersOf(tool), 0, -1)) do
    local claimable = claimableOf(tool, owner)
    waiting = waiting + redis.call('ZCOUNT', claimable, '-inf', now)
    local _, notBefore = unpack(redis.call('ZRANGE', claimable, 0, 0, 'WITHSCORES'))
    first = math.min(first, tonumber(notBefore) or now)
  end
end
local reply = { waiting, math.floor((now - first) / 1000) }
for _, status in ipairs(ARGV) do table.insert(reply, tonumber(redis.call('HGET', totals, 'status ' .. status)) or 0) end
return reply
`);

/** Returns the start of the next page, and the tasks. */
const LIST = redisScript(`${TASKS_LUA}
local most, cursor = tonumber(ARGV[1]), ARGV[2]
sweep(1000)
local found = redis.call('ZRANGEBYSCORE', order, cursor, '+inf', 'LIMIT', 0, most + 1)
local isLast = #found <= most
if not isLast then table.remove(found) end
local page = { isLast and '' or '(' .. redis.call('ZSCORE', order, found[most]) }
for _, id in ipairs(found) do
  local task = read(id)
  if task[1] then table.insert(page, task) end
end
return page
`);

/**
 * Stores tasks in Redis, where all processes of an app can use them. If a limit is reached, a new task replaces the
 * oldest finished tasks of the same owner. Unfinished tasks, and tasks of other owners, are never replaced. If there
 * are too few finished tasks, the new task is refused. Clients that cannot be distinguished count as one owner. The
 * limits per owner do not apply to this owner.
 */
export class RedisTaskStore implements TaskStore {
  /**
   * How many tasks a process runs at the same time if the app does not set `tasks.concurrency`. The number is fixed,
   * because a run writes little, and all commands share one connection.
   */
  readonly concurrency = 16;
  /** Leases are renewed on a separate connection, so that a large answer on the other one cannot make them expire. */
  readonly #leases: RedisLink;
  readonly #base: string;
  readonly #limits: readonly number[];
  readonly #clock = new StoreClock();

  constructor(
    private readonly connection: RedisConnection,
    { maxTasks, maxTasksPerOwner, maxTaskBytes, maxTaskBytesPerOwner }: Required<StoreLimits>,
  ) {
    this.#leases = connection.link();
    this.#base = `{${connection.prefix}:tasks}`;
    this.#limits = [maxTasks, maxTaskBytes, maxTasksPerOwner, maxTaskBytesPerOwner];
  }

  async create(record: TaskRecord, delayMs: number | null): Promise<void> {
    const { ttlMs } = record.task;
    const counted = [JSON.stringify(record.tool), clientText(record.owner)];
    await this.#put(CREATE, record, delayMs, [...counted, ttlMs === null ? '' : expiryMs(ttlMs)]);
  }

  async get(taskId: string): Promise<StoredTask | undefined> {
    return storedTask(await this.connection.send('HMGET', `${this.#base}/${taskId}`, ...FIELDS));
  }

  replace(record: TaskRecord, delayMs?: number | null): Promise<boolean> {
    return this.#put(REPLACE, record, delayMs, []);
  }

  async claim(claim: TaskClaim): Promise<readonly StoredTask[]> {
    const { run, limit, leaseMs, taskId = '', overdueMs = 0 } = claim;
    const { excludeTools = [], excludeOwners = [] } = claim;
    const tools = JSON.stringify(excludeTools.map((tool) => JSON.stringify(tool)));
    const owners = JSON.stringify(excludeOwners.map(clientText));
    const args = [run, limit, Math.ceil(leaseMs), taskId, tools, owners, Math.ceil(overdueMs)];
    const { tasks } = await this.#clock.timed(this.connection.timeoutMs, async (deadlineOf) => {
      const deadline = deadlineOf();
      const reply = await this.connection.run(CLAIM, [this.#base], [...args, deadline]);
      const [time, ...claimed] = reply as readonly RedisReply[];
      const now = Number(time) / 1000;
      return { now, isLate: now > deadline, tasks: storedTasks(claimed) };
    });
    return tasks;
  }

  async renew(runs: readonly TaskRunName[], leaseMs: number): Promise<readonly TaskRunName[]> {
    if (runs.length === 0) return [];
    const args = [Math.ceil(leaseMs), ...runs.flatMap(({ taskId, run }) => [taskId, run])];
    const lost = (await this.connection.run(RENEW, [this.#base], args, this.#leases)) as readonly number[];
    return runs.filter((_, at) => lost.includes(at));
  }

  async list(limit: number, cursor = '-inf'): Promise<TaskPage> {
    const reply = await this.connection.run(LIST, [this.#base], [limit, cursor]);
    const [next, ...page] = reply as readonly RedisReply[];
    const tasks = storedTasks(page);
    return typeof next === 'string' && next !== '' ? { tasks, cursor: next } : { tasks };
  }

  async backlog(): Promise<TaskBacklog> {
    const reply = await this.connection.run(BACKLOG, [this.#base], TASK_STATUSES);
    const [due = 0, oldestMs = 0, ...counts] = Array.isArray(reply) ? reply.map(Number) : [];
    const kept = noTasks();
    TASK_STATUSES.forEach((status, at) => (kept[status] = counts[at] ?? 0));
    return { kept, due, oldestMs };
  }

  /** Stores a task. @throws OverloadedError if a limit is reached. */
  async #put(
    script: RedisScript,
    record: TaskRecord,
    delayMs: number | null | undefined,
    rest: readonly (string | number)[],
  ): Promise<boolean> {
    const { task, version, run, attempts } = record;
    const delay = delayMs === undefined ? 'same' : delayMs === null ? 'never' : Math.ceil(delayMs);
    const fields = [task.taskId, JSON.stringify(record), task.status, version, run ?? '', attempts, delay];
    const reply = await this.connection.run(script, [this.#base], [...fields, ...rest, ...this.#limits]);
    if (reply === 'kept' || reply === 'changed') return reply === 'kept';
    throw new OverloadedError(`A limit on stored tasks is reached: ${reply as string}`);
  }
}

function storedTasks(replies: readonly RedisReply[]): StoredTask[] {
  return replies.map(storedTask).filter((task) => task !== undefined);
}

/** Converts a reply of Redis to a task. @param reply the values of `FIELDS`. */
function storedTask(reply: RedisReply): StoredTask | undefined {
  const [json, version, run, attempts, notBefore] = reply as readonly (string | null)[];
  const task = typeof json === 'string' ? readTask(json) : undefined;
  return (
    task && {
      ...task,
      version: Number(version),
      run: run ? run : null,
      attempts: Number(attempts),
      notBefore: notBefore ? Number(notBefore) : null,
    }
  );
}
