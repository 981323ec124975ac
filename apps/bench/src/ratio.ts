import { median } from './median.js';
import type { Cell, Reading } from './row.js';

/**
 * Returns the value of one contestant divided by the value of another: the median of these ratios in all rounds. Rounds
 * are interleaved, so a slow moment of the machine affects both values of a ratio. Throughput is compared per second of
 * the server's processor time, because other programs on the core do not affect this time. If both servers always use
 * their core fully, the ratio by wall time is the same.
 */
export function ratio(ours: Cell | undefined, theirs: Cell | undefined): number | undefined {
  if (ours?.kind !== 'measured' || theirs?.kind !== 'measured') return undefined;
  const pairs: number[] = [];
  for (const [round, reading] of ours.readings.entries()) {
    const other = theirs.readings[round];
    if (other) pairs.push(comparable(reading) / comparable(other));
  }
  return pairs.length > 0 ? median(pairs) : undefined;
}

function comparable(reading: Reading): number {
  return reading.perCpuSecond ?? reading.value;
}
