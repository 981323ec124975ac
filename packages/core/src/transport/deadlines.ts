import { isPromise } from '../protocol/maybe-promise.js';

/** Something that may take a time, and no longer. */
export class Deadline {
  // Its place in a ring, between the deadlines before and after it.
  before: Deadline = this;
  after: Deadline = this;

  /** @param dueAt milliseconds of `performance.now()`. */
  constructor(
    readonly dueAt: number,
    /** Called when it is due. */
    readonly expire: () => void,
  ) {}
}

/** Workers of Cloudflare end timers with the request that has set them, so that requests cannot share one. */
const TIMERS_END_WITH_REQUESTS = globalThis.navigator?.userAgent === 'Cloudflare-Workers';

/**
 * Calls back when a time is over. One timer serves all that wait: a timer for each request would cost more than most of them take.
 *
 * @example
 * ```ts
 * const deadlines = new Deadlines(30_000);
 * const answer = await deadlines.within(fetch(url), () => new Error('No answer within 30 seconds'));
 * ```
 */
export class Deadlines {
  // All deadlines have the same delay, so the last one added is the last one due. Every request passes here, and a Set
  // would be slower.
  readonly #ring = new Deadline(Infinity, () => undefined);
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #ownTimers = new WeakMap<Deadline, ReturnType<typeof setTimeout>>();

  /** @param afterMs how long each may take, in milliseconds. */
  constructor(readonly afterMs: number) {}

  /** @returns the argument for `delete`. */
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

  /** Removes a deadline: its work is done. */
  delete(deadline: Deadline): void {
    if (TIMERS_END_WITH_REQUESTS) return clearTimeout(this.#ownTimers.get(deadline));
    deadline.before.after = deadline.after;
    deadline.after.before = deadline.before;
    // To delete it again changes nothing.
    deadline.before = deadline.after = deadline;
  }

  /**
   * Waits for a promise or thenable, and fails if that takes too long.
   *
   * @param late makes the error then.
   */
  within<T>(promise: PromiseLike<T>, late: () => Error): Promise<T> {
    return new Promise((resolve, reject) => {
      const deadline = this.add(() => reject(late()));
      const settled = (): void => this.delete(deadline);
      void Promise.resolve(promise).then(resolve, reject).then(settled, settled);
    });
  }

  /**
   * Gives the methods of a part a time limit. A promise that is late fails with the name of the part. Its work
   * continues, and its result is ignored.
   *
   * @param part such as a store; its methods are called on itself.
   * @param name for the error, such as `state.store`.
   * @returns the part with the limit.
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
 * Stands for a part whose methods run within something else.
 *
 * @param part such as a store; its methods are called on itself.
 * @param around runs a call of one of them, and returns its result.
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
  // A part that is frozen could not have other methods in front of it.
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

/** Timers take no longer delay, in milliseconds. */
export const MAX_DELAY_MS: number = 2 ** 31 - 1;

/**
 * Runs something later.
 *
 * @param ms milliseconds; more than timers can count, such as `Infinity`, means never.
 * @param run called once, unless it is called off.
 * @returns calls it off.
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
 * Waits for a promise no longer than a time. The wait keeps the process alive.
 *
 * @param ms milliseconds; more than timers can count means without end.
 * @param late returns the result after the deadline, or throws; `undefined` by default.
 * @returns the result of the promise.
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
 * Something has taken too long.
 *
 * @example
 * ```ts
 * if (error instanceof LateError) connection.destroy();
 * ```
 */
export class LateError extends Error {}

/**
 * Waits for an answer for a limited time. Later results are ignored.
 *
 * @param ms milliseconds it may take.
 * @param what the missing event, such as `Redis did not answer`.
 * @throws LateError when it takes longer.
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
 * Keeps a timer from keeping the process alive, if timers do that here.
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

/** A valid delay, in the words of messages to the author. */
export const DELAY: string = `a positive integer of milliseconds, ${MAX_DELAY_MS} at most`;

/** Whether a value is a delay that timers can keep. */
export function isDelay(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= MAX_DELAY_MS;
}
