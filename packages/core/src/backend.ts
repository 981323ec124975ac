// The interfaces of a backend, for state that outlives a request, and their implementations in memory.
export type {
  Backend,
  BackendFactory,
  BackendWatch,
  EventStore,
  KeptSession,
  LimitDecision,
  Limiter,
  Rate,
  SessionPage,
  SessionState,
  SessionStore,
  StateKind,
  StateStore,
  StateUse,
  StoredEvent,
  StoredSession,
  StreamName,
  StreamRest,
} from './backend/backend.js';
export type { ChangeBus, ListKind, NodeMessage, ServerChange } from './backend/change-bus.js';
export {
  isTerminal,
  readTask,
  type StoredTask,
  type TaskClaim,
  type TaskError,
  type TaskBacklog,
  type TaskPage,
  type TaskRecord,
  type TaskRunName,
  type TaskState,
  type TaskStatus,
  type TaskStore,
} from './backend/tasks.js';
export type {
  ClaimOutcome,
  RunOutcome,
  SubmittedTask,
  TaskExecutor,
  TaskWorker,
} from './backend/task-executor.js';
export { push, type PushExecutor, type PushOptions } from './extensions/tasks/push-executor.js';
export { OverloadedError, ReadOnlyError } from './errors/errors.js';
export { memoryBackend } from './memory/memory-backend.js';
export { MemoryChangeBus } from './memory/memory-change-bus.js';
export { MemoryEventStore, type MemoryEventStoreOptions } from './memory/memory-event-store.js';
export { MemoryLimiter, type MemoryLimiterOptions } from './memory/memory-limiter.js';
export { MemorySessionStore, type MemorySessionStoreOptions } from './memory/memory-session-store.js';
export { MemoryStateStore, type MemoryStateStoreOptions } from './memory/memory-state-store.js';
export { MemoryTaskStore, type MemoryTaskStoreOptions } from './memory/memory-task-store.js';
