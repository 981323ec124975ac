/** The reaction of a listener to its event. */
type Listen = () => unknown;

/**
 * Wraps the listeners of a signal in `run`, so that a listener that throws or rejects does not end the process. The
 * signal stays the same object, so `fetch`, `AbortSignal.any` and `instanceof` still accept it. Signals that are
 * derived from this signal are not guarded.
 *
 * @param signal the signal. Its methods for adding and removing listeners are replaced.
 * @param run a function that runs a listener. It must not throw.
 * @returns the signal.
 * @example
 * ```ts
 * guardListeners(request.signal, (listen) => recovered(listen, (error) => logger.error({ err: error }, 'a listener failed')));
 * ```
 */
export function guardListeners(signal: AbortSignal, run: (listen: Listen) => void): AbortSignal {
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  // A listener that is added twice is still called once.
  const guarded = new WeakMap<EventListenerOrEventListenerObject, EventListener>();
  const guard = (listener: EventListenerOrEventListenerObject): EventListener => {
    const known = guarded.get(listener);
    if (known) return known;
    const made: EventListener = (event) => run(() => listen(listener, signal, event));
    guarded.set(listener, made);
    return made;
  };
  let onabort: AbortSignal['onabort'] = null;
  const abort: EventListener = (event) => run(() => onabort && Reflect.apply(onabort, signal, [event]));
  const methods: Pick<AbortSignal, 'addEventListener' | 'removeEventListener' | 'onabort'> = {
    addEventListener(
      type: string,
      listener: EventListenerOrEventListenerObject | null,
      options?: boolean | AddEventListenerOptions,
    ): void {
      if (listener) add(type, guard(listener), options);
    },
    removeEventListener(
      type: string,
      listener: EventListenerOrEventListenerObject | null,
      options?: boolean | EventListenerOptions,
    ): void {
      if (listener) remove(type, guard(listener), options);
    },
    get onabort() {
      return onabort;
    },
    set onabort(listener) {
      onabort = typeof listener === 'function' ? listener : null;
      if (onabort) add('abort', abort);
      else remove('abort', abort);
    },
  };
  return Object.defineProperties(signal, Object.getOwnPropertyDescriptors(methods));
}

function listen(listener: EventListenerOrEventListenerObject, signal: AbortSignal, event: Event): unknown {
  if (typeof listener === 'function') return Reflect.apply(listener, signal, [event]);
  return listener.handleEvent(event);
}
