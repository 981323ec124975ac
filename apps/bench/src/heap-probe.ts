import { setTimeout as delay } from 'node:timers/promises';

/** The memory that the probe reports, in bytes. */
export interface HeapReading {
  readonly heap: number;
  readonly rss: number;
}

/**
 * Preloaded (`node --expose-gc --import …`) into a server whose memory is measured, so that no server carries code of
 * the harness. Any message over IPC is answered with the memory left after full collections.
 */
process.on('message', () => void report());
// The channel alone must not keep a server alive.
process.channel?.unref();

async function report(): Promise<void> {
  // Finalizers and weak references need a turn of the loop between collections.
  for (let pass = 0; pass < 4; pass++) {
    globalThis.gc?.();
    await delay(20);
  }
  const usage = process.memoryUsage();
  const reading: HeapReading = { heap: usage.heapUsed + usage.external, rss: usage.rss };
  process.send?.(reading);
}
