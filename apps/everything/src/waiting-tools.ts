import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Arg, Service, Tool, ToolContext } from '@sigil/core';

const LONGEST_WAIT_MS = 60_000;

/**
 * A tool that waits, and a tool that reports how the wait ended. Clients can thus test whether a cancellation reaches
 * the handler.
 */
@Service()
export class WaitingTools {
  readonly #waits = new Map<string, 'waiting' | 'cancelled' | 'over'>();

  @Tool({ description: 'Waits until the client cancels the call, but for at most one minute' })
  async waitUntilCancelled(
    @Arg('label', { description: 'A name for this call, for state_of_wait' }) label: string,
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

  @Tool({
    description:
      'Returns the state of a wait: waiting, cancelled, over or unknown; forgets a wait that has ended',
  })
  stateOfWait(@Arg('label') label: string): string {
    const state = this.#waits.get(label) ?? 'unknown';
    if (state !== 'waiting') this.#waits.delete(label);
    return state;
  }
}
