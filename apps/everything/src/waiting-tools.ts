import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Arg, Service, Tool, ToolContext } from '@sigil/core';

const LONGEST_WAIT_MS = 60_000;

/** A call that waits, and what became of it: for clients that want to see whether cancelling reaches the handler. */
@Service()
export class WaitingTools {
  readonly #waits = new Map<string, 'waiting' | 'cancelled' | 'over'>();

  @Tool({ description: 'Waits until the client cancels the call, a minute at most' })
  async waitUntilCancelled(
    @Arg('label', { description: 'What to ask for it by afterwards' }) label: string,
    { signal }: ToolContext,
  ): Promise<string> {
    this.#waits.set(label, 'waiting');
    const settled = new AbortController();
    await Promise.race([
      once(signal, 'abort', { signal: settled.signal }),
      delay(LONGEST_WAIT_MS, undefined, { signal: settled.signal }),
    ]);
    // Whichever did not come is not waited for any longer.
    settled.abort();
    this.#waits.set(label, signal.aborted ? 'cancelled' : 'over');
    return 'Nobody cancelled';
  }

  @Tool({ description: 'Says whether a call waits, was cancelled or is over; forgets it once it has ended' })
  stateOfWait(@Arg('label') label: string): string {
    const state = this.#waits.get(label) ?? 'unknown';
    if (state !== 'waiting') this.#waits.delete(label);
    return state;
  }
}
