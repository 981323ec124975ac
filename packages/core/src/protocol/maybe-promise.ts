/**
 * A value, or a promise of it. If a handler returns no promise, the response is sent in the same turn of the
 * event loop.
 */
export type MaybePromise<T> = T | Promise<T>;

/**
 * Whether a value is a promise. A promise from another realm, such as a `vm` context, counts too.
 *
 * @param value a value, or the promise of one.
 * @example
 * ```ts
 * const kept = store.append(name, text);
 * if (isPromise(kept)) await kept;
 * ```
 */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && typeof (value as Promise<T>).then === 'function';
}

/**
 * Applies `next` to a value. If the value is a promise, `next` is called with its result once the promise is fulfilled.
 * Otherwise, `next` is called immediately.
 *
 * @param value a value, or the promise of one.
 * @param next a function that receives the value, and returns the result or a promise of it.
 * @returns the result of `next`. If the value is a promise, returns a promise of that result. This promise rejects if
 *   the value rejects.
 * @example
 * ```ts
 * const size = after(store.get(key), (text) => text.length);
 * ```
 */
export function after<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  // A thenable that is not a promise, such as a lazy query, may run arbitrary code in its then().
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value);
}

/**
 * Calls a function and returns its result. If the function throws or rejects, returns a replacement for the error.
 *
 * @param work the function, which is called immediately.
 * @param recover a function that receives the error, and returns the replacement.
 * @example
 * ```ts
 * const size = recovered(() => store.size(), () => 0);
 * ```
 */
export function recovered<T>(work: () => MaybePromise<T>, recover: (thrown: unknown) => T): MaybePromise<T> {
  try {
    const done = work();
    return isPromise(done) ? Promise.resolve(done).catch(recover) : done;
  } catch (error) {
    return recover(error);
  }
}

/**
 * Marks the rejection of a promise as handled. The process then does not end if the promise rejects and the author does
 * not await it.
 */
export function observed<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/** Returns a function that creates a value at its first call, and returns the same value afterwards. */
export function once<T>(make: () => T): () => T {
  const kept: { value?: T } = {};
  return () => (kept.value ??= make());
}
