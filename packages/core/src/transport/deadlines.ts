import { isPromise } from '../protocol/maybe-promise.js';

/** The time limit of some work. */
export class Deadline {
  // Its place in a ring, between the deadlines before and after it.
  before: Deadline = this;
  after: Deadline = this;

  /** @param dueAt when the time limit ends, in milliseconds of `performance.now()`. */
  constructor(
    readonly dueAt: number,
    /** Called when the deadline is due. */
    readonly expire: () => void,
  ) {}
}

/** Cloudflare Workers end a timer with the request that set it, so requests cannot share a timer. */
const TIMERS_END_WITH_REQUESTS = globalThis.navigator?.userAgent === 'Cloudflare-Workers';

/**
 * Time limits that all have the same length. Each time limit calls a function when its time is over. All time limits
 * share one timer, because a timer for each request would cost more than most requests do.
 *
 * @example
 * ```ts
 * const deadlines = new Deadlines(30_000);
 * const answer = await deadlines.within(fetch(url), () => new Error('No answer within 30 seconds'));
 * ```
 */
export class Deadlines {
  // All deadlines have the same delay, so the last one added is the last one due. Every request uses this, and a Set
  // would be slower.
  readonly #ring = new Deadline(Infinity, () => undefined);
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #ownTimers = new WeakMap<Deadline, ReturnType<typeof setTimeout>>();

  /** @param afterMs how long each piece of work may take, in milliseconds. */
  constructor(readonly afterMs: number) {}

  /** Adds a deadline. @returns the deadline, as the argument for `delete`. */
  add(expire: () => void): Deadline {
    const deadline = new Deadline(performance.now() + this.afterMs, expire);
    if (TIMERS_END_WITH_REQUESTS) {
      this.#ownTimers.set(deadline, setTimeout(expire, this.afterMs));
      return deadline;
    }
    const last = this.#ring.before;
    deadline.before = last;
    deadline.after = this.#ring;
    last.after = this.#ring.before = deadline;
    if (this.#timer === undefined) this.#wait(this.afterMs);
    return deadline;
  }

  /** Removes a deadline, because the work is done. */
  delete(deadline: Deadline): void {
    if (TIMERS_END_WITH_REQUESTS) return clearTimeout(this.#ownTimers.get(deadline));
    deadline.before.after = deadline.after;
    deadline.after.before = deadline.before;
    // Deleting it again changes nothing.
    deadline.before = deadline.after = deadline;
  }

  /**
   * Waits for a promise or thenable, and fails if it takes too long.
   *
   * @param late a function that creates the error if the promise takes too long.
   */
  within<T>(promise: PromiseLike<T>, late: () => Error): Promise<T> {
    return new Promise((resolve, reject) => {
      const deadline = this.add(() => reject(late()));
      const settled = (): void => this.delete(deadline);
      void Promise.resolve(promise).then(resolve, reject).then(settled, settled);
    });
  }

  /**
   * Wraps an object, such as a store, so that its methods have this time limit. If a method's promise takes too long,
   * the caller's promise rejects with an error that contains `name`. The method continues, and its result is ignored.
   *
   * @param part the object. Its methods get the object itself as `this`, not the wrapper.
   * @param name the name of the object in the error, such as `state.store`.
   * @returns the wrapper.
   */
  limit<T extends object>(part: T, name: string): T {
    const late = (): Error => new Error(`${name} did not answer within ${this.afterMs} ms`);
    return aroundCalls(part, (call) => {
      const answer = call();
      return isPromise(answer) ? this.within(answer, late) : answer;
    });
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => this.#expire(), ms);
    // A deadline does not keep the process alive; the pending work may.
    unref(this.#timer);
  }

  #expire(): void {
    const now = performance.now();
    for (let next = this.#ring.after; next !== this.#ring; next = this.#ring.after) {
      if (next.dueAt > now) return this.#wait(Math.ceil(next.dueAt - now));
      this.delete(next);
      next.expire();
    }
    this.#timer = undefined;
  }
}

/**
 * Wraps an object, so that `around` is called instead of each of its methods.
 *
 * @param part the object, such as a store. Its methods get the object itself as `this`, not the wrapper.
 * @param around a function that receives `call` and the method's name. It calls `call()` to run the method, and returns
 *   the result for the caller.
 * @returns the wrapper.
 * @example
 * ```ts
 * const told = aroundCalls(store, (call, method) => {
 *   console.error(method);
 *   return call();
 * });
 * ```
 */
export function aroundCalls<T extends object>(
  part: T,
  around: (call: () => unknown, method: string) => unknown,
): T {
  // A frozen part could not be wrapped with other methods.
  const empty: T = Object.create(part) as T;
  return new Proxy(empty, {
    get: (_empty, property) => {
      const member: unknown = Reflect.get(part, property, part);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]): unknown =>
        around(() => Reflect.apply(member, part, given) as unknown, String(property));
    },
  });
}

/** The longest delay of a timer, in milliseconds. */
export const MAX_DELAY_MS: number = 2 ** 31 - 1;

/**
 * Runs a function later.
 *
 * @param ms the delay in milliseconds. A delay longer than timers allow, such as `Infinity`, means never.
 * @param run a function that is called once, unless the returned function cancels the call first.
 * @returns a function that cancels the call of `run`.
 * @example
 * ```ts
 * const cancel = afterMs(5_000, () => socket.destroy());
 * socket.on('close', cancel);
 * ```
 */
export function afterMs(ms: number, run: () => void): () => void {
  if (ms > MAX_DELAY_MS) return () => undefined;
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}

/**
 * Waits for a promise for a limited time. The wait keeps the process alive.
 *
 * @param ms the limit in milliseconds. A limit longer than timers allow means no limit.
 * @param late a function that is called if the promise is still pending at the limit. It returns the result, or throws.
 *   If `late` is absent, the result at the limit is `undefined`.
 * @returns the result of the promise, or of `late`.
 * @example
 * ```ts
 * await within(1_000, server.closed);
 * ```
 */
export async function within<T>(ms: number, promise: PromiseLike<T> | T, late: () => T): Promise<T>;
export async function within<T>(ms: number, promise: PromiseLike<T> | T): Promise<T | undefined>;
export async function within<T>(
  ms: number,
  promise: PromiseLike<T> | T,
  late: () => T | undefined = () => undefined,
): Promise<T | undefined> {
  let cancel = (): void => undefined;
  const time = new Promise<void>((resolve) => (cancel = afterMs(ms, resolve)));
  try {
    return await Promise.race([promise, time.then(late)]);
  } finally {
    cancel();
  }
}

/**
 * The error for work that has taken too long.
 *
 * @example
 * ```ts
 * if (error instanceof LateError) connection.destroy();
 * ```
 */
export class LateError extends Error {}

/**
 * Waits for an answer, at most for a limited time. An answer that arrives later is ignored.
 *
 * @param ms how long to wait, in milliseconds.
 * @param what the failure in words, such as `Redis did not answer`.
 * @throws LateError if the answer takes longer.
 * @example
 * ```ts
 * await answered(2_000, client.ping(), 'Redis did not answer');
 * ```
 */
export function answered<T>(ms: number, promise: Promise<T>, what: string): Promise<T> {
  return within(ms, promise, () => {
    throw new LateError(`${what} within ${ms} ms`);
  });
}

/**
 * Lets the process end although a timer is pending, on platforms where timers keep the process alive.
 *
 * @param timer the result of `setTimeout` or `setInterval`.
 * @example
 * ```ts
 * unref(setInterval(sweep, 30_000));
 * ```
 */
export function unref(timer: number | { unref?(): unknown }): void {
  if (typeof timer === 'object') timer.unref?.();
}

/** The description of a valid delay, for messages to the author. */
export const DELAY: string = `a positive integer of milliseconds, ${MAX_DELAY_MS} at most`;

/** Whether a value is a delay that timers support. */
export function isDelay(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= MAX_DELAY_MS;
}
