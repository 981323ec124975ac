/** A value, now or later. */
export type MaybePromise<T> = T | Promise<T>;
