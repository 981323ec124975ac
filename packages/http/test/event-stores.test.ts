import { describeEventStore } from '../../../tests/contract/backend/event-store.js';
import { SlowEventStore } from './fixtures/slow-event-store.js';

describeEventStore('the slow store of these tests', (bounds) => {
  const store = new SlowEventStore(bounds);
  return [store, store];
});
