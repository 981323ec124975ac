import type { ChangeBus, ServerChange } from '../backend/change-bus.js';

/**
 * Delivers changes within this process, without delay. Apps that share a bus receive each other's changes.
 *
 * @example
 * ```ts
 * const changeBus = new MemoryChangeBus();
 * const shop = await createApp({ name: 'shop', version: '1.0.0', changeBus });
 * const stock = await createApp({ name: 'stock', version: '1.0.0', changeBus });
 * ```
 */
export class MemoryChangeBus implements ChangeBus {
  readonly #listeners = new Set<{
    readonly tell: (change: ServerChange) => void;
    readonly node: string | undefined;
  }>();

  publish(change: ServerChange): void {
    // Anything may be published by a program of another version.
    const to = typeof change === 'object' && change !== null && 'to' in change ? change.to : undefined;
    for (const { tell, node } of [...this.#listeners]) if (to === undefined || to === node) tell(change);
  }

  subscribe(tell: (change: ServerChange) => void, node?: string): () => void {
    // An object of its own for each subscription, so that a function that subscribes twice is called twice.
    const listener = { tell, node };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
