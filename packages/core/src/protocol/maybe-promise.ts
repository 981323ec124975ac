/** A value, now or later. Handlers that answer at once are served without a turn of the event loop. */
export type MaybePromise<T> = T | Promise<T>;

/** Whether a value is a promise, of this realm or another. */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && typeof (value as Promise<T>).then === 'function';
}

/** Applies `next` to a value now when it is here, later when it is promised. */
export function after<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  // What only looks like a promise, such as a query that runs when it is awaited, may do as it likes in its then().
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value);
}

/** Marks the failure of a promise as seen: an author may forget to await it, which is no reason to end the process. */
export function observed<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/** Makes a value when it is first asked for, and gives the same ever after. */
export function once<T>(make: () => T): () => T {
  const kept: { value?: T } = {};
  return () => (kept.value ??= make());
}
