// The parts of a backend, and their foundation:
//
// - `redis-connection.ts` has the one connection for the commands of all parts (`redis-link.ts`). It fails at once
//   while Redis is down, and reconnects. `redis-servers.ts` has the location of Redis: at an address, in a cluster, or
//   behind Sentinels.
// - A store writes with scripts, which Redis runs atomically, and uses the clock of Redis. All keys of a script have
//   one hash tag, such as `{sigil:shop:sessions}`, so that a cluster has them on one node. `quota-script.ts` keeps
//   sessions and states within their limits.
// - `redis-change-bus.ts` listens on its own connection, and `redis-task-store.ts` renews leases on another one.

import type { Backend, BackendFactory } from '@sigil/core/backend';
import { OptionChecks, STORE_LIMITS, type StoreLimits, storeLimits } from '@sigil/core/internal';
import { RedisChangeBus } from './redis-change-bus.js';
import {
  checkConnection,
  CONNECTION_OPTIONS,
  RedisConnection,
  type RedisConnectionOptions,
} from './redis-connection.js';
import { RedisEventStore } from './redis-event-store.js';
import { RedisLimiter } from './redis-limiter.js';
import { RedisSessionStore } from './redis-session-store.js';
import { RedisStateStore } from './redis-state-store.js';
import { RedisTaskStore } from './redis-task-store.js';

/** The location of Redis, and limits on the data that the backend stores. */
export interface RedisOptions extends RedisConnectionOptions, StoreLimits {
  /**
   * Maximum total size of the JSON of all stored tasks, in bytes. Beyond it, a new task replaces the oldest finished
   * tasks of its owner, or is refused.
   * @default 256 MiB
   */
  readonly maxTaskBytes?: number;
}

const MAX_TASK_BYTES = 256 * 1024 * 1024;

/**
 * Creates a backend in Redis 6.2 or later, or in a compatible server such as Valkey. All processes of an app that use
 * the same Redis share its sessions and tasks, so any process can serve any client.
 *
 * @param options the location of Redis, and limits.
 * @returns a factory for the backend. Several apps can share one Redis: their data is separated by the name of the app.
 * @throws DefinitionError when an option is wrong.
 * @example
 * ```ts
 * const app = await createApp({
 *   name: 'shop',
 *   version: '1.0.0',
 *   services: [Shop],
 *   state: { keys: [process.env.STATE_KEY] },
 *   backend: redis({ url: 'redis://127.0.0.1:6379' }),
 * });
 * ```
 */
export function redis(options: RedisOptions): BackendFactory {
  checkOptions(options);
  return ({ name }) => makeBackend({ ...options, prefix: options.prefix ?? prefixOf(name) });
}

/**
 * Returns the default prefix of an app's keys. @throws DefinitionError if the name of the app is not valid in
 * a prefix.
 */
function prefixOf(name: string): string {
  const checks = new OptionChecks('redis');
  if (/\p{Surrogate}/u.test(name))
    checks.refuse(
      'prefix',
      'the name of the app is not valid in the prefix, because the name contains a lone surrogate',
      "correct createApp({ name }), or set a prefix, for example prefix: 'sigil:shop'",
    );
  checks.throwIfAny();
  return `sigil:${encodeURIComponent(name)}`;
}

function makeBackend(options: RedisOptions): Backend {
  const connection = new RedisConnection(options);
  const limits = storeLimits(options, MAX_TASK_BYTES);
  const states = new RedisStateStore(connection, limits);
  return {
    name: 'redis',
    sessions: new RedisSessionStore(connection, limits),
    events: new RedisEventStore(connection, limits),
    states,
    tasks: new RedisTaskStore(connection, limits),
    bus: new RedisChangeBus(connection),
    limiter: new RedisLimiter(connection),
    isBounded: true,
    watch: (watch) => connection.watch(watch),
    open: (logger) => connection.open(logger),
    check: async () => void (await Promise.all([connection.check(), states.begin()])),
    close: () => connection.close(),
  };
}

/** @throws DefinitionError with all faults in the options. */
function checkOptions(options: RedisOptions): void {
  OptionChecks.requireObject('redis', options);
  const checks = new OptionChecks('redis');
  checks.known(options, { ...CONNECTION_OPTIONS, ...STORE_LIMITS });
  checks.integers(OptionChecks.pick(options, STORE_LIMITS));
  checkConnection(options, checks);
  checks.throwIfAny();
}
