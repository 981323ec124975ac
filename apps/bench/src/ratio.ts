import { median } from './median.js';
import type { Cell, Reading } from './row.js';

/**
 * How two contestants compare: the median of the ratios round by round. Rounds are interleaved, so a slow moment of the
 * machine meets both sides of one ratio. Throughput is compared per second of the server's processor time, which a
 * neighbour stealing the core cannot change; a server that saturates its core gives the same ratio by the clock.
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
