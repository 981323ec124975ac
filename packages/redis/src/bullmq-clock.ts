import type { IRedisClient } from 'bullmq';

/** The scripts of BullMQ that take a job: they ask which ones are due by now, as their second argument says. */
const TAKES = /^moveTo(?:Active|Finished):/;
const BY_REDIS = `
do
  local time = redis.call('TIME')
  ARGV[2] = time[1] * 1000 + math.floor(time[2] / 1000)
end
`;

/**
 * Has BullMQ count by the clock of Redis where it counts by that of its process, so that processes whose clocks differ agree when a job
 * is due. Locks count by the clock of Redis anyway. What comes back as a time is told by the clock of the process, by which BullMQ waits.
 *
 * @param client one of BullMQ's; it is changed.
 * @param redisNow the time in milliseconds by the clock of Redis.
 */
export function countByRedis(client: IRedisClient, redisNow: () => Promise<number>): void {
  const defineCommand = client.defineCommand.bind(client);
  const runCommand = client.runCommand.bind(client);
  const bzpopmin = client.bzpopmin.bind(client);
  const byProcess = async (due: number): Promise<number> =>
    due > 0 ? due - (await redisNow()) + Date.now() : due;

  client.defineCommand = (name, definition) =>
    defineCommand(name, TAKES.test(name) ? { ...definition, lua: BY_REDIS + definition.lua } : definition);

  client.runCommand = async (name: string, args: unknown[]): Promise<unknown> => {
    const reply: unknown = await runCommand(name, args);
    if (!TAKES.test(name) || !Array.isArray(reply)) return reply;
    const [job, id, limit, due] = reply as [string[] | 0 | null, unknown, unknown, unknown];
    // Its lock is renewed some time after this.
    const begun = Array.isArray(job) ? job.indexOf('processedOn') : -1;
    if (Array.isArray(job) && begun >= 0) job[begun + 1] = String(Date.now());
    return [job, id, limit, await byProcess(Number(due))];
  };

  // What makes a worker look has the time to look at.
  client.bzpopmin = async (key, timeoutS) => {
    const found = await bzpopmin(key, timeoutS);
    return found && [found[0], found[1], String(await byProcess(Number(found[2])))];
  };
}
