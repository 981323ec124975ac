import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for some milliseconds. Rejects when the signal aborts. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal });
}
