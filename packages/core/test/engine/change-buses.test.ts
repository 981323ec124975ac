import { describeChangeBus } from '../../../../tests/contract/backend/change-bus.js';
import { MemoryChangeBus } from '../../src/backend.js';
import { SlowChangeBus } from '../fixtures/slow-change-bus.js';

describeChangeBus('the slow bus of these tests', () => {
  const wire = new MemoryChangeBus();
  return [new SlowChangeBus(wire), new SlowChangeBus(wire)];
});
