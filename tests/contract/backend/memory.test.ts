import {
  MemoryChangeBus,
  MemoryEventStore,
  MemoryLimiter,
  MemorySessionStore,
  MemoryStateStore,
  MemoryTaskStore,
} from '@sigil/core/backend';
import { describeChangeBus } from './change-bus.js';
import { describeEventStore } from './event-store.js';
import { describeLimiter } from './limiter.js';
import { describeSessionStore } from './session-store.js';
import { describeStateStore } from './state-store.js';
import { describeTaskStore } from './task-store.js';

/** Processes do not share memory: both ends are the one store. */
const twice = <T>(one: T): readonly [T, T] => [one, one];

describeSessionStore('MemorySessionStore', (bounds) => twice(new MemorySessionStore(bounds)));
describeEventStore('MemoryEventStore', (bounds) => twice(new MemoryEventStore(bounds)));
describeStateStore('MemoryStateStore', (bounds) => new MemoryStateStore(bounds));
describeTaskStore('MemoryTaskStore', (bounds) => new MemoryTaskStore(bounds));
describeChangeBus('MemoryChangeBus', () => twice(new MemoryChangeBus()));
describeLimiter('MemoryLimiter', () => twice(new MemoryLimiter()));
