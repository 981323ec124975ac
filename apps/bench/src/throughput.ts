import { setTimeout as delay } from 'node:timers/promises';
import type { ServerProcess } from './process.js';
import type { Reading } from './row.js';

/** Puts load on a server for `ms` milliseconds, and returns the answers per second. */
export type Load = (ms: number) => Promise<number>;

const sliceMs = 500;
/** How many slices are compared with as many before them; fewer would mistake noise for a plateau. */
const span = 3;
/** A span this much better than the one before says that the compiler is still at work. */
const stillRising = 1.04;

/** Runs one round of load. Returns the throughput, and the processor time that the server used. */
export async function throughput(server: ServerProcess, load: Load, ms: number): Promise<Reading> {
  const before = server.cpuSeconds();
  const start = performance.now();
  const value = await load(ms);
  const seconds = (performance.now() - start) / 1000;
  const after = server.cpuSeconds();
  if (before === undefined || after === undefined) return { value };
  const cpuShare = (after - before) / seconds;
  return { value, cpuShare, perCpuSecond: value / cpuShare };
}

/**
 * Keeps a server under load until its throughput stops rising, or until the time limit. A fixed time would be unfair:
 * servers that do much work per request need several seconds on one core to compile their hot code.
 */
export async function warmUp(server: ServerProcess, load: Load, limitMs: number): Promise<void> {
  const rates: number[] = [];
  const end = performance.now() + limitMs;
  while (performance.now() < end) {
    const { value, perCpuSecond } = await throughput(server, load, sliceMs);
    rates.push(perCpuSecond ?? value);
    if (rates.length < 2 * span) continue;
    if (total(rates.slice(-span)) < stillRising * total(rates.slice(-2 * span, -span))) break;
  }
  // What the last answers left behind is collected before the first round.
  await delay(50);
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
