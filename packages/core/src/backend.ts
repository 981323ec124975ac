// What outlives a request: the interfaces that a backend implements, and their implementations in memory.
export {
  MemoryStateStore,
  type MemoryStateStoreOptions,
  type StateStore,
} from './engine/asking/state-store.js';
export { type ChangeBus, MemoryChangeBus, type ServerChange } from './engine/subscriptions/changes.js';
export type {
  StoredTask,
  TaskError,
  TaskInputRequest,
  TaskState,
  TaskStatus,
  TaskStore,
} from './extensions/tasks/task-store.js';
export { MemoryTaskStore, type MemoryTaskStoreOptions } from './extensions/tasks/memory-task-store.js';
