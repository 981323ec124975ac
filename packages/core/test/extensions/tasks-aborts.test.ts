import { describe, expect, test } from '@jest/globals';
import {
  type AppOptions,
  type AuditRecord,
  type CallInfo,
  defineTool,
  type TaskAbortEvent,
  TaskSupport,
  type ToolContext,
} from '../../src/index.js';
import {
  type Backend,
  memoryBackend,
  MemoryTaskStore,
  OverloadedError,
  type TaskRecord,
} from '../../src/backend.js';
import { appOf, deferred, until } from '../harness.js';
import { beginTask, endOf, getTask, ManualExecutor, taskClient } from './task-client.js';

const hang = (): Promise<never> => new Promise(() => undefined);
const untilAborted = ({ signal }: ToolContext): Promise<string> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve('late')));

/** An app with the tool `job` whose tasks a test runs by hand, and what is told of them. */
async function watched(
  handle: (ctx: ToolContext) => unknown,
  { backend = memoryBackend(), destructive = false, ...options }: Watched = {},
) {
  const executor = new ManualExecutor(backend.tasks);
  const metadata = TaskSupport.entry('required');
  const records: AuditRecord[] = [];
  const app = await appOf({
    definitions: [defineTool({ name: 'job', metadata, destructive, handle: (_args, ctx) => handle(ctx) })],
    backend,
    state: { keys: ['k'.repeat(32)] },
    audit: { sink: (record) => void records.push(record) },
    ...options,
    tasks: { executor, ...options.tasks },
  });
  const aborts: TaskAbortEvent[] = [];
  const runs: NonNullable<CallInfo['task']>[] = [];
  app.observe({
    callStarted({ task }) {
      if (task) runs.push(task);
      return undefined;
    },
    taskAborted: (event) => void aborts.push(event),
  });
  const client = taskClient(app, {}, { principal: { id: 'ada' }, address: '192.0.2.7' });
  return { app, client, executor, aborts, runs, records, taskId: await beginTask(client, 'job') };
}

interface Watched extends Partial<AppOptions> {
  readonly backend?: Backend;
  readonly destructive?: boolean;
}

describe('the runs of a task', () => {
  test('are told with their number', async () => {
    const { app, executor, runs, taskId } = await watched(hang);
    for (const attempt of [1, 2]) {
      void executor.runAgain();
      await until(() => runs.length === attempt);
    }
    expect(runs.map(({ id, attempt }) => [id, attempt])).toEqual([
      [taskId, 1],
      [taskId, 2],
    ]);
    await app.close();
  });

  test.each([
    ['attempts', { tasks: { maxAttempts: 1 } }],
    ['rerun', { destructive: true }],
  ] as const)('that are given up by %s leave a last record in the audit', async (failedBy, options) => {
    const { app, client, executor, runs, records, aborts, taskId } = await watched(hang, options);
    void executor.runAgain();
    await until(() => runs.length === 1);
    await executor.runAgain();
    expect(await getTask(client, taskId)).toMatchObject({ status: 'failed' });
    expect(runs).toHaveLength(1);
    expect(aborts.map(({ abortedBy, hasFailed }) => [abortedBy, hasFailed])).toEqual([[failedBy, true]]);
    expect(records.filter(({ event }) => event === 'task.failed')).toEqual([
      {
        time: expect.any(String),
        event: 'task.failed',
        decision: 'allowed',
        failedBy,
        id: expect.any(String),
        taskId,
        method: 'tools/call',
        name: 'job',
        principal: 'ada',
        client: 'tester 0',
        protocolVersion: '2026-07-28',
        address: '192.0.2.7',
        argumentsHash: expect.any(String),
        outcome: 'failed',
        code: -32603,
      },
    ]);
    await app.close();
  });

  test('that another run has taken over are told as lost, and not as failed', async () => {
    const gate = deferred<string>();
    const { app, client, executor, runs, records, aborts, taskId } = await watched(() =>
      runs.length === 1 ? gate.promise : 'done',
    );
    const first = executor.run();
    await until(() => runs.length === 1);
    await executor.runAgain();
    gate.resolve('late');
    await first;
    expect(await endOf(client, taskId)).toMatchObject({ status: 'completed' });
    expect(aborts).toMatchObject([
      { abortedBy: 'lease', hasFailed: false, name: 'job', task: { id: taskId, attempt: 1 } },
    ]);
    const ends = records.filter(({ taskId: of }) => of !== undefined);
    expect(ends.map(({ event }) => event)).toEqual(['call.ended', 'call.ended']);
    expect(ends.map(({ id }) => id)).toContain(aborts[0]?.id);
    await app.close();
  });

  test('that are cancelled are told once', async () => {
    const { app, client, executor, runs, aborts, records, taskId } = await watched(untilAborted);
    const run = executor.run();
    await until(() => runs.length === 1);
    await client.result('tasks/cancel', { taskId });
    await run;
    expect(aborts).toMatchObject([{ abortedBy: 'cancel', hasFailed: false }]);
    await app.close();
    expect(aborts).toHaveLength(1);
    expect(records.filter(({ event }) => event === 'task.failed')).toEqual([]);
  });

  test('that end by themselves are not told', async () => {
    const { app, client, executor, aborts, taskId } = await watched(() => 'done');
    await executor.run();
    await endOf(client, taskId);
    await app.close();
    expect(aborts).toEqual([]);
  });

  test.each([
    ['goes on elsewhere', {}, false],
    ['may not be run twice', { destructive: true }, true],
  ])('that stop with their process are told: the task %s', async (_, options, hasFailed) => {
    const { app, executor, runs, aborts, records } = await watched(untilAborted, options);
    void executor.run();
    await until(() => runs.length === 1);
    await app.close();
    expect(aborts).toMatchObject([{ abortedBy: 'stop', hasFailed }]);
    expect(records.some(({ event, failedBy }) => event === 'task.failed' && failedBy === 'stop')).toBe(
      hasFailed,
    );
  });

  test('whose result cannot be kept leave a record that the task has failed', async () => {
    class RefusingStore extends MemoryTaskStore {
      override replace(record: TaskRecord, delayMs?: number | null): boolean {
        if (record.task.status === 'completed') throw new OverloadedError('There is no room');
        return super.replace(record, delayMs);
      }
    }
    const backend = { ...memoryBackend(), tasks: new RefusingStore() };
    const { app, client, executor, aborts, records, taskId } = await watched(() => 'done', { backend });
    await executor.run();
    expect(await endOf(client, taskId)).toMatchObject({ status: 'failed' });
    expect(aborts).toMatchObject([{ abortedBy: 'store', hasFailed: true }]);
    expect(records.at(-1)).toMatchObject({ event: 'task.failed', failedBy: 'store' });
    await app.close();
  });
});
