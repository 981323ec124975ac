import { MemoryChangeBus, type ServerChange } from '../../src/backend.js';
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
