import { expect, jest, test } from '@jest/globals';
import { MemoryChangeBus, type ServerChange, type TaskWorker } from '../../src/backend.js';
import { StoreExecutor } from '../../src/extensions/tasks/store-executor.js';
import { describeTaskExecutor } from '../../../../tests/contract/backend/task-executor.js';
import { recordingLogger } from '../harness.js';

describeTaskExecutor('StoreExecutor', () => {
  const bus = new MemoryChangeBus();
  const host = {
    publish: (change: ServerChange) => bus.publish(change),
    onChange: (listener: (change: ServerChange) => void) => void bus.subscribe(listener),
    logger: recordingLogger(),
  };
  return [new StoreExecutor(host), new StoreExecutor(host)];
});

const idle: TaskWorker = {
  concurrency: 4,
  leaseMs: 15_000,
  free: 4,
  logger: recordingLogger(),
  run: () => Promise.resolve({ outcome: 'done', retryAfterMs: 0 }),
  claim: () => Promise.resolve({ begun: 0, mayBeMore: false }),
};

test('claims again once the store answers, also where a run goes on meanwhile', async () => {
  jest.useFakeTimers();
  try {
    const claim = jest.fn<TaskWorker['claim']>().mockRejectedValue(new Error('the store is away'));
    const executor = new StoreExecutor({ publish: () => undefined, onChange: () => undefined });
    executor.start({ ...idle, free: 3, claim });
    await jest.advanceTimersByTimeAsync(20_000);
    expect(claim).toHaveBeenLastCalledWith(1);
    claim.mockReset().mockResolvedValue({ begun: 0, mayBeMore: false });
    await jest.advanceTimersByTimeAsync(20_000);
    expect(claim).toHaveBeenCalled();
    executor.close();
  } finally {
    jest.useRealTimers();
  }
});

test('claims nothing before it has waited after a claim that failed', async () => {
  jest.useFakeTimers();
  try {
    const claim = jest.fn<TaskWorker['claim']>().mockRejectedValue(new Error('the store is away'));
    const executor = new StoreExecutor({ publish: () => undefined, onChange: () => undefined });
    executor.start({ ...idle, claim });
    for (let each = 0; each < 10; each += 1) executor.submit({ taskId: 'a', tool: 'job' }, 0);
    await jest.advanceTimersByTimeAsync(100);
    expect(claim).toHaveBeenCalledTimes(1);
    executor.close();
  } finally {
    jest.useRealTimers();
  }
});
