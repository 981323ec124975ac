import type { Backend } from '../backend/backend.js';
import { MemoryChangeBus } from './memory-change-bus.js';
import { MemoryEventStore } from './memory-event-store.js';
import { MemoryLimiter } from './memory-limiter.js';
import { MemorySessionStore } from './memory-session-store.js';
import { MemoryStateStore } from './memory-state-store.js';
import { MemoryTaskStore } from './memory-task-store.js';

// Each part of a backend in memory, in a file of its own. Without a backend an app takes those that it needs, and has them for itself:
//
// - `memory-change-bus.ts`, `memory-state-store.ts` (created in `server/create-app.ts`), `memory-task-store.ts` (in
//   `extensions/tasks/tasks.ts`), and `memory-event-store.ts` (in `@sigil/http`).
// - Sessions belong to the connection of their process then; `memory-session-store.ts` keeps those of several apps of one process.
// - All are bounded, in count and bytes. They pass the same suites as those on Redis and PostgreSQL (`tests/contract/backend`).

/**
 * Creates a backend in this process's memory. Apps in one process that share it serve each other's clients, like
 * processes that share Redis or PostgreSQL. It is for tests: its data ends with the process.
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
