import { expect, test } from '@jest/globals';
import { type AuditRecord, createApp, defineTool, TaskSupport } from '@sigil/core';
import { connect } from '@sigil/testing';
import { until } from '../../../tests/contract/backend/waiting.js';
import { redis as redisBackend } from '../src/index.js';
import { RedisTaskStore } from '../src/redis-task-store.js';
import { limits } from './fixtures/limits.js';
import { describeWithRedis } from './fixtures/servers.js';

describeWithRedis('a task on Redis', (redis) => {
  test('that is given up leaves a last record in the audit of the process that gives it up', async () => {
    const { place } = redis();
    const prefix = 'given-up';
    const records: AuditRecord[] = [];
    let runs = 0;
    const report = defineTool({
      name: 'report',
      metadata: TaskSupport.entry('required'),
      handle: () => String((runs += 1)),
    });
    const serve = (tasks: { worker: boolean; maxAttempts: number }) =>
      createApp({
        name: 'desk',
        version: '1.0.0',
        definitions: [report],
        backend: redisBackend({ ...place, prefix }),
        state: { keys: ['k'.repeat(32)] },
        tasks,
        log: { level: 'silent' },
        audit: { sink: (record) => void records.push(record) },
      });
    const front = await serve({ worker: false, maxAttempts: 1 });
    redis().after(() => front.close());
    const client = await connect(front, { tasks: true });
    redis().after(() => client.close());
    const called = client.callTool('report').catch((error: unknown) => error);
    // A process claims it, and dies without a word.
    const store = new RedisTaskStore(redis().connect({ ...place, prefix }), limits());
    await until(async () => (await store.claim({ run: 'dead', limit: 1, leaseMs: 1 })).length === 1);
    const worker = await serve({ worker: true, maxAttempts: 1 });
    redis().after(() => worker.close());
    // It begins to run tasks once it is served.
    const served = await connect(worker);
    redis().after(() => served.close());
    await until(() => records.some(({ event }) => event === 'task.failed'));
    expect(records.find(({ event }) => event === 'task.failed')).toMatchObject({
      decision: 'allowed',
      failedBy: 'attempts',
      outcome: 'failed',
      method: 'tools/call',
      name: 'report',
      taskId: expect.any(String),
    });
    expect(String(await called)).toContain('The task failed after 1 lost runs');
    expect(runs).toBe(0);
  });
});
