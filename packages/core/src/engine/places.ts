import { NoRoomError } from '../errors/protocol-error.js';
import { bytesOf } from '../protocol/json.js';
import { METHODS } from '../protocol/protocol.js';
import { Quota } from '../transport/quota.js';
import type { EngineCall } from './call.js';
import type { Limits } from './engine-options.js';

/** What runs handlers. All else has places of its own: lists and discovery, and what frees a place, such as `tasks/cancel`. */
const CALLS: ReadonlySet<string> = new Set([
  METHODS.callTool,
  METHODS.readResource,
  METHODS.getPrompt,
  METHODS.complete,
]);

/** What shorter messages take is bounded by how many there may be. */
const SHORT_BYTES = 1024;

/** The places of the requests in flight, of all connections of one app. */
export class Places {
  readonly #calls: Quota;
  readonly #others: Quota;
  readonly #bytes: Quota;

  constructor({ maxInFlight, maxInFlightPerClient, maxInFlightBytes }: Limits) {
    this.#bytes = new Quota(maxInFlightBytes, Math.ceil(maxInFlightBytes / 4));
    this.#calls = new Quota(maxInFlight, maxInFlightPerClient);
    this.#others = new Quota(maxInFlight, maxInFlightPerClient);
  }

  /** @throws NoRoomError when the client, or the process, has as many requests in flight as it may have. */
  take(call: EngineCall): void {
    const places = this.#placesOf(call);
    if (!places) return;
    if (places.take(call.quotaKey)) return this.#takeBytes(call, places);
    const { taken, total, perClient } = places;
    const full = taken >= total ? `${total} requests are` : `${perClient} requests of this client are`;
    throw new NoRoomError(`More than ${full} in flight; try again later`);
  }

  give(call: EngineCall): void {
    this.#placesOf(call)?.give(call.quotaKey);
  }

  /** Gives back what the parameters of a call have taken, once its handler has ended. */
  forget(call: EngineCall): void {
    this.#bytes.give(call.quotaKey, call.heldBytes);
    call.heldBytes = 0;
  }

  #takeBytes(call: EngineCall, places: Quota): void {
    if ((call.facts.bodyBytes ?? 0) <= SHORT_BYTES) return;
    const bytes = bytesOf(call.params);
    if (this.#bytes.take(call.quotaKey, bytes)) {
      call.heldBytes = bytes;
      return;
    }
    places.give(call.quotaKey);
    throw new NoRoomError('The calls in flight keep as much as they may; try again later');
  }

  #placesOf({ method }: EngineCall): Quota | undefined {
    if (CALLS.has(method)) return this.#calls;
    // Subscriptions have a bound of their own.
    return method === METHODS.listen ? undefined : this.#others;
  }
}
