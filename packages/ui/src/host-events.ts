import type { HostContext } from './protocol.js';

/** Listeners for one kind of event. A listener that is added later gets the last event, too. */
class Listeners<T> {
  readonly #listeners = new Set<(value: T) => unknown>();
  #last: { readonly value: T } | undefined;

  /** Adds a listener. @returns a function that removes it. */
  add(listener: (value: T) => unknown): () => void {
    this.#listeners.add(listener);
    if (this.#last) listener(this.#last.value);
    return () => void this.#listeners.delete(listener);
  }

  /** Notifies all listeners. A listener that throws does not stop the others. */
  async tell(value: T): Promise<void> {
    this.#last = { value };
    const told = [...this.#listeners].map(async (listener) => listener(value));
    for (const outcome of await Promise.allSettled(told))
      if (outcome.status === 'rejected') reportError(outcome.reason);
  }
}

/** Calls the listeners of a view with the events that the host sends. */
export class HostEvents<Input, Result> {
  readonly input: Listeners<Input> = new Listeners();
  readonly partialInput: Listeners<Partial<Input>> = new Listeners();
  readonly result: Listeners<Result> = new Listeners();
  readonly cancelled: Listeners<string | undefined> = new Listeners();
  readonly context: Listeners<HostContext> = new Listeners();
  readonly teardown: Listeners<void> = new Listeners();
  /** The current context of the host: the initial context with all later changes. */
  current: HostContext = {};

  /** The handler for each message of the host. The protocol defines the types of the parameters. */
  readonly #takes: Readonly<Record<string, (params: never) => Promise<void>>> = {
    ping: async () => undefined,
    'ui/resource-teardown': () => this.teardown.tell(),
    'ui/notifications/tool-input': ({ arguments: args }: { readonly arguments: Input }) =>
      this.input.tell({ ...args }),
    'ui/notifications/tool-input-partial': ({ arguments: args }: { readonly arguments: Partial<Input> }) =>
      this.partialInput.tell({ ...args }),
    'ui/notifications/tool-result': (result: Result) => this.result.tell(result),
    'ui/notifications/tool-cancelled': ({ reason }: { readonly reason?: string }) =>
      this.cancelled.tell(reason),
    'ui/notifications/host-context-changed': (changed: HostContext) => this.changeContext(changed),
  };

  /** Handles a request or notification from the host. @returns an empty result; `undefined` for an unknown method. */
  async take(method: string, params: never): Promise<object | undefined> {
    const take = Object.hasOwn(this.#takes, method) ? this.#takes[method] : undefined;
    await take?.(params);
    return take && {};
  }

  /** Merges changed members into the current context, and calls the listeners. */
  changeContext(changed: HostContext): Promise<void> {
    this.current = { ...this.current, ...changed };
    return this.context.tell(this.current);
  }
}
