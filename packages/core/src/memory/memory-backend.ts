import type { Backend } from '../backend/backend.js';
import { MemoryChangeBus } from './memory-change-bus.js';
import { MemoryEventStore } from './memory-event-store.js';
import { MemoryLimiter } from './memory-limiter.js';
import { MemorySessionStore } from './memory-session-store.js';
import { MemoryStateStore } from './memory-state-store.js';
import { MemoryTaskStore } from './memory-task-store.js';

// The parts of a backend in memory, each in a file of its own. Without a backend an app uses the parts that it needs,
// for itself alone:
//
// - `memory-change-bus.ts`, `memory-state-store.ts` (created in `server/create-app.ts`), `memory-task-store.ts` (in
//   `extensions/tasks/tasks.ts`), and `memory-event-store.ts` (in `@sigil/http`).
// - Sessions then belong to the connection of their process; `memory-session-store.ts` shares those of several apps in
//   one process.
// - All are bounded, in count and bytes. They pass the same suites as those on Redis and PostgreSQL
//   (`tests/contract/backend`).

/**
 * Creates a backend in this process's memory. Apps in one process that share the backend serve each other's clients,
 * like processes that share Redis or PostgreSQL. This backend is for tests: its data is lost when the process ends.
 *
 * @returns the backend, for any number of apps.
 * @example
 * ```ts
 * const backend = memoryBackend();
 * const state = { keys: [key] };
 * const one = await createApp({ name: 'shop', version: '1.0.0', services: [Shop], backend, state });
 * const other = await createApp({ name: 'shop', version: '1.0.0', services: [Shop], backend, state });
 * ```
 */
export function memoryBackend(): Backend {
  return {
    name: 'memory',
    sessions: new MemorySessionStore(),
    events: new MemoryEventStore(),
    states: new MemoryStateStore(),
    tasks: new MemoryTaskStore(),
    bus: new MemoryChangeBus(),
    limiter: new MemoryLimiter(),
    check: () => undefined,
    close: () => undefined,
  };
}
