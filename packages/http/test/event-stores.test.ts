import { MemoryEventStore } from '../src/index.js';
import { describeEventStore } from './fixtures/event-store-contract.js';
import { SlowEventStore } from './fixtures/slow-event-store.js';

describeEventStore('MemoryEventStore', () => new MemoryEventStore());
describeEventStore('the slow store of these tests', () => new SlowEventStore());
