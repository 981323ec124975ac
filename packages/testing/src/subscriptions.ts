import type { ProtocolVersion } from '@sigil/core';
import { METHODS } from '@sigil/core/transport';
import type { Caller } from './caller.js';
import type { Listening, ListenFilter } from './listen.js';
import { isStateless } from './revisions.js';

/** The resources a client wants to hear about, in the way of its revision. */
export class Subscriptions {
  readonly #streams = new Map<string, Listening>();

  constructor(
    private readonly revision: ProtocolVersion,
    private readonly caller: Caller,
    private readonly listen: (filter: ListenFilter) => Promise<Listening>,
  ) {}

  /** Subscribes to a resource, once. */
  async add(uri: string): Promise<void> {
    if (!isStateless(this.revision)) return void (await this.caller.call(METHODS.subscribe, { uri }));
    if (this.#streams.has(uri)) return;
    const stream = await this.listen({ resourceSubscriptions: [uri] });
    // A stream that the server or the end of the connection breaks off is no failure of the test.
    stream.ended.catch(() => undefined);
    this.#streams.set(uri, stream);
  }

  /** Unsubscribes from a resource. */
  async remove(uri: string): Promise<void> {
    if (!isStateless(this.revision)) return void (await this.caller.call(METHODS.unsubscribe, { uri }));
    this.#streams.get(uri)?.stop();
    this.#streams.delete(uri);
  }
}
