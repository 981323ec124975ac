import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Queue } from 'bullmq';
import { describeTaskExecutor } from '../../../tests/contract/backend/task-executor.js';
import { noRedis, Redis } from '../../../tests/e2e/redis.js';
import { bullmq } from '../src/index.js';

(noRedis === undefined ? describe : describe.skip)(noRedis ?? 'on Redis', () => {
  let redis: Redis;
  let made = 0;

  beforeAll(async () => void (redis = await Redis.start()));
  afterAll(async () => redis.stop());

  const connection = () => ({ url: redis.url, maxRetriesPerRequest: null });

  describeTaskExecutor('bullmq()', () => {
    made += 1;
    const queue = `tasks-${made}`;
    return [bullmq({ connection: connection(), queue }), bullmq({ connection: connection(), queue })];
  });

  test('a job has the id of its task alone, and the name of its tool', async () => {
    const executor = bullmq({ connection: connection(), queue: 'seen' });
    const queue = new Queue('seen', { connection: connection() });
    await executor.submit({ taskId: 'a', tool: 'report' }, 0);
    const [job] = await queue.getJobs();
    expect([job?.name, job?.data]).toEqual(['report', { taskId: 'a' }]);
    await Promise.all([executor.close(), queue.close()]);
  });
});

test.each([
  [{}, 'connection'],
  [{ connection: 'redis://127.0.0.1' }, 'connection'],
  [{ connection: {}, queue: 'a:b' }, 'queue'],
  [{ connection: {}, prefix: '' }, 'prefix'],
  [{ connection: {}, name: 'tasks' }, 'name'],
])('bullmq(%j) is refused for its %s', (options, option) => {
  expect(() => bullmq(options as never)).toThrow(`bullmq({ ${option} })`);
});
