import type { LimitDecision, Limiter } from '../backend/backend.js';
import { type Call, logDetails } from '../context/call.js';
import type { DefinitionInfo } from '../context/context.js';
import type { LimitKey, RateLimit } from '../context/policies.js';
import { OverloadedError, RateLimitError } from '../errors/errors.js';
import { MemoryLimiter } from '../memory/memory-limiter.js';
import type { Logger } from '../protocol/logging.js';
import { after, isPromise, type MaybePromise, recovered } from '../protocol/maybe-promise.js';
import { addressKey } from '../protocol/principal.js';
import { Deadlines } from '../transport/deadlines.js';
import { LogThrottle } from '../transport/log-throttle.js';
import { guardContextOf } from './compile-policies.js';
import type { DeclaredLimit } from './declaration.js';

/** How long a failed store is not asked again, in milliseconds. Otherwise, each call would wait for it. */
const ASK_AGAIN_MS = 1_000;

/** Minimum delay before a retry of a call that found no room, in milliseconds. */
const BUSY_MS = 1_000;

/** Maximum length of a key that a function returns, because keys are stored. */
const MAX_KEY_LENGTH = 1024;

/** A rate limit with its name, such as `tool search principal`. Each name has its own count of calls. */
export interface NamedRate extends RateLimit {
  readonly name: string;
}

/**
 * Counts calls for all rate limits of an app, in the backend's store or in memory. If the store fails, each rate's
 * option `fail` decides whether calls are counted in this process, served without being counted, or refused.
 */
export class RateCounter {
  #local: MemoryLimiter | undefined;
  #failure: unknown;
  #askAgainAt = -Infinity;
  readonly #told = new LogThrottle();

  /** @param limiter the limiter of the backend, or a limiter in memory. */
  constructor(
    private readonly limiter: Limiter,
    private readonly logger: Logger,
  ) {}

  /**
   * Counts a request towards one rate limit.
   *
   * @param who the id of a caller, or of a group of callers. Requests with the same id are counted together.
   * @param details a function that returns the log fields of the request; called only if the request is refused.
   * @returns the limiter's decision, or a `RateLimitError` if the limit is exceeded. Returns `undefined` if the store
   *   fails and the rate's option `fail` is `open`; the request is then allowed.
   * @throws OverloadedError if the store fails and the rate's option `fail` is `closed`.
   */
  count(
    rate: NamedRate,
    who: string,
    details: () => object,
  ): MaybePromise<LimitDecision | RateLimitError | undefined> {
    const { name, limit, windowMs } = rate;
    return after(this.#take(rate, `rate ${name} ${who}`), (decision) => {
      if (!decision || decision.allowed) return decision;
      if (this.#told.allows(name))
        this.logger.warn(
          { rate: name, limit, windowMs, ...details() },
          'a call was refused, because a rate limit was exceeded',
        );
      const often = `${limit} in ${seconds(windowMs)} are allowed`;
      const message = `Too many requests: ${often}; try again in ${seconds(decision.retryAfterMs)}`;
      return new RateLimitError(message, decision.retryAfterMs, { policy: name });
    });
  }

  #take(rate: NamedRate, key: string): MaybePromise<LimitDecision | undefined> {
    if (performance.now() < this.#askAgainAt) return this.#uncounted(rate, key);
    return recovered<LimitDecision | undefined>(
      () => this.limiter.take(key, rate),
      (error) => {
        this.#failure = error;
        this.#askAgainAt = performance.now() + ASK_AGAIN_MS;
        if (this.#told.allows('the store'))
          this.logger.error(
            { err: error },
            'the store cannot count calls, so the option "fail" of each rate applies',
          );
        return this.#uncounted(rate, key);
      },
    );
  }

  #uncounted(rate: NamedRate, key: string): LimitDecision | undefined {
    const { fail = 'local' } = rate;
    if (fail === 'open') return undefined;
    if (fail === 'local') return (this.#local ??= new MemoryLimiter()).take(key, rate);
    const cause = this.#failure;
    throw new OverloadedError('The rate limit cannot be checked now; try again later', {
      cause,
      retryAfterSeconds: 1,
    });
  }
}

/**
 * Returns copies of the rate limits, each with a unique `name`, such as `tool search principal`.
 *
 * @param of the owner of the rates, such as `tool search`; empty for the app itself.
 */
export function nameRates(of: string, rates: readonly RateLimit[]): NamedRate[] {
  const taken = new Map<string, number>();
  return rates.map((rate) => {
    const { per = 'principal' } = rate;
    const by = typeof per === 'function' ? per.name || 'key' : per;
    const name = of === '' ? by : `${of} ${by}`;
    const before = taken.get(name) ?? 0;
    taken.set(name, before + 1);
    return { ...rate, name: before === 0 ? name : `${name} ${before + 1}` };
  });
}

/**
 * Counts a call towards each rate limit of a definition or app, in order, until a limit is exceeded. Returns the error
 * for that limit; `undefined` if the call is allowed.
 */
export type CountCall = (call: Call) => MaybePromise<RateLimitError | undefined>;

/**
 * Compiles a function that counts each call towards the given rate limits.
 *
 * @param info the definition that is called.
 * @returns the function; `undefined` if the list of rates is empty.
 */
export function compileRates(
  rates: readonly NamedRate[],
  counter: RateCounter,
  info?: DefinitionInfo,
): CountCall | undefined {
  if (rates.length === 0) return undefined;
  const countFrom = (at: number, call: Call): MaybePromise<RateLimitError | undefined> => {
    const rate = rates[at];
    if (!rate) return undefined;
    const who = keyOf(rate.per ?? 'principal', call, info);
    if (who === undefined) return countFrom(at + 1, call);
    return after(
      counter.count(rate, who, () => logDetails(call)),
      (counted) => {
        if (counted === undefined) return countFrom(at + 1, call);
        const { name, limit, windowMs } = rate;
        const isRefused = counted instanceof RateLimitError;
        const remaining = isRefused ? 0 : counted.remaining;
        const resetMs = isRefused ? counted.retryAfterMs : windowMs / limit;
        // A limit shared by all callers would reveal how much others call.
        if (rate.per !== 'app') call.noteLimit({ name, limit, windowMs, remaining, resetMs });
        if (!isRefused) return countFrom(at + 1, call);
        call.refusedBy = 'rate';
        return counted;
      },
    );
  };
  return (call) => (call.isCounted ? undefined : countFrom(0, call));
}

/**
 * Returns the rate limits that apply to a definition, each with a unique name. The limits that its whole module shares
 * come first, then the limits of the definition alone.
 */
export function ratesOf(limits: readonly DeclaredLimit[], name: string): NamedRate[] {
  const of = (owner: string | undefined): NamedRate[] =>
    nameRates(
      owner ?? name,
      limits.flatMap((limit) => (limit.rate && limit.module === owner ? [limit.rate] : [])),
    );
  const modules = new Set(limits.map((limit) => limit.module).filter((owner) => owner !== undefined));
  return [...[...modules].flatMap(of), ...of(undefined)];
}

/**
 * Waits until all concurrency limits of a definition allow one more run of its handler.
 *
 * @returns a function to call when the run has ended, so that the next call can start.
 * @throws RateLimitError if the call cannot start within the waiting time that a limit allows.
 */
export type TakePlace = (call: Call) => MaybePromise<() => void>;

/** Compiles the concurrency limits of a definition into one function. @returns `undefined` if there is no limit. */
export function compileConcurrency(
  limits: readonly DeclaredLimit[],
  name: string,
  info: DefinitionInfo,
): TakePlace | undefined {
  const all = limits.flatMap(({ runs }) => (runs ? [{ ...runs, places: new Places(name, runs) }] : []));
  if (all.length === 0) return undefined;
  const takeFrom = (at: number, call: Call): MaybePromise<() => void> => {
    const one = all[at];
    if (!one) return () => undefined;
    const key = keyOf(one.per, call, info);
    if (key === undefined) return takeFrom(at + 1, call);
    return after(one.places.take(key, call), () => {
      const give = (): void => one.places.give(key);
      return recovered(
        () => after(takeFrom(at + 1, call), (giveRest) => () => (giveRest(), give())),
        (error) => {
          give();
          throw error;
        },
      );
    });
  };
  // Runs of tasks have places of their own.
  return (call) => (call.background ? () => undefined : takeFrom(0, call));
}

/** Runs the function `work`, and calls `give` when `work` has succeeded or failed. */
export function inPlace<T>(give: () => void, work: () => MaybePromise<T>): MaybePromise<T> {
  let done: MaybePromise<T>;
  try {
    done = work();
  } catch (error) {
    give();
    throw error;
  }
  if (isPromise(done)) return Promise.resolve(done).finally(give);
  give();
  return done;
}

/** The running and the waiting calls of a key. */
interface Line {
  taken: number;
  /** The waiting calls, in order of arrival. Each function is called once its call may run. */
  readonly waiting: Set<() => void>;
}

/** Limits the number of calls that run at once for each key. Further calls wait for a limited time. */
class Places {
  readonly #lines = new Map<string, Line>();
  readonly #times: Deadlines | undefined;

  constructor(
    private readonly name: string,
    private readonly runs: NonNullable<DeclaredLimit['runs']>,
  ) {
    if (runs.queueMs > 0) this.#times = new Deadlines(runs.queueMs);
  }

  /** Waits until a call may run. @throws RateLimitError if it would wait too long. */
  take(key: string, call: Call): MaybePromise<void> {
    const line = this.#lines.get(key) ?? { taken: 0, waiting: new Set() };
    this.#lines.set(key, line);
    if (line.taken < this.runs.concurrency) {
      line.taken += 1;
      return undefined;
    }
    if (!this.#times) throw this.#refusal(call);
    return this.#wait(line, this.#times, call);
  }

  give(key: string): void {
    const line = this.#lines.get(key);
    if (!line) return;
    const [next] = line.waiting;
    // The place goes from one to the other.
    if (next) return next();
    line.taken -= 1;
    if (line.taken === 0) this.#lines.delete(key);
  }

  #wait({ waiting }: Line, times: Deadlines, call: Call): Promise<void> {
    const { signal } = call;
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        waiting.delete(begin);
        times.delete(deadline);
        signal.removeEventListener('abort', leave);
      };
      const begin = (): void => {
        stop();
        resolve();
      };
      const leave = (): void => {
        stop();
        reject(new Error('The call ended while it waited for its turn', { cause: signal.reason }));
      };
      const deadline = times.add(() => {
        stop();
        reject(this.#refusal(call));
      });
      waiting.add(begin);
      signal.addEventListener('abort', leave);
      if (signal.aborted) leave();
    });
  }

  #refusal(call: Call): RateLimitError {
    call.refusedBy = 'concurrency';
    const { concurrency, queueMs } = this.runs;
    const retryAfterMs = Math.max(BUSY_MS, queueMs);
    const message = `Too many calls of ${this.name} are running: at most ${concurrency} are allowed; try again in ${seconds(retryAfterMs)}`;
    return new RateLimitError(message, retryAfterMs, { policy: this.name });
  }
}

/** Returns the key of a call; `undefined` if the call is not limited. */
function keyOf(per: LimitKey, call: Call, info: DefinitionInfo | undefined): string | undefined {
  if (per === 'principal') return call.clientKey;
  if (per === 'app') return 'app';
  if (per === 'address') {
    const { address } = call.requestInfo;
    // A closed connection has no address: its call counts all the same.
    return address === undefined ? call.clientKey : addressKey(address);
  }
  const definition = info ?? { kind: 'list', name: call.method, metadata: {} };
  const key: unknown = per(guardContextOf(call, definition));
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || key.length > MAX_KEY_LENGTH)
    throw new TypeError(
      `The function '${per.name || 'per'}' of a limit must return a string of at most ${MAX_KEY_LENGTH} characters, or undefined`,
    );
  return `key ${key}`;
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}
