import { MemoryChangeBus } from '../../src/backend.js';
import { describeChangeBus } from '../fixtures/change-bus-contract.js';
import { SlowChangeBus } from '../fixtures/slow-change-bus.js';

describeChangeBus('MemoryChangeBus', () => {
  const bus = new MemoryChangeBus();
  return [bus, bus];
});
describeChangeBus('the slow bus of these tests', () => {
  const wire = new MemoryChangeBus();
  return [new SlowChangeBus(wire), new SlowChangeBus(wire)];
});
