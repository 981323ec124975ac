import type { CallLimit, RateLimit } from '../context/policies.js';
import type { Diagnostics } from '../errors/errors.js';
import { isPlainObject } from '../protocol/json.js';
import { nearest } from '../protocol/nearest.js';
import { DELAY, isDelay } from '../transport/deadlines.js';
import type { DeclaredLimit } from './declaration.js';

/** A problem in an option, and its fix. */
interface Fault {
  readonly option: string;
  readonly what: string;
  readonly fix: string;
}

const WINDOWS_MS: Readonly<Record<string, number>> = { s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 };
const RATE = /^([1-9]\d{0,8})\/(s|min|h|d)$/;
const RATE_FIX = "write a number, a slash and a unit (s, min, h or d), such as '30/min'";
const LIMIT_FIX =
  "write @Limit('30/min'), @Limit('30/min', { per, burst, fail }) or @Limit({ concurrency, queueMs, per })";

type Check = readonly [is: (value: unknown) => boolean, expected: string];

const COUNT: Check = [
  (value) => typeof value === 'number' && Number.isSafeInteger(value) && value > 0,
  'it must be a positive integer',
];
const KEY: Check = [
  (value) => typeof value === 'function' || ['principal', 'address', 'app'].some((name) => name === value),
  "it must be 'principal', 'address', 'app', or a function that returns a key",
];
const FAIL: Check = [
  (value) => ['local', 'open', 'closed'].some((name) => name === value),
  "it must be 'local', 'open' or 'closed'",
];
const SHARED = { burst: COUNT, per: KEY, fail: FAIL };
const CALL_LIMIT: Readonly<Record<keyof CallLimit, Check>> = {
  rate: [(value) => typeof value === 'string' && RATE.test(value), 'it is not a rate'],
  ...SHARED,
  concurrency: COUNT,
  queueMs: [isDelay, `it must be ${DELAY}`],
};
const RATE_LIMIT: Readonly<Record<keyof RateLimit, Check>> = { limit: COUNT, windowMs: COUNT, ...SHARED };

function faultsOf(given: object, checks: Readonly<Record<string, Check>>): Fault[] {
  return Object.entries(given).flatMap(([option, value]: [string, unknown]) => {
    const check = Object.hasOwn(checks, option) ? checks[option] : undefined;
    const known = Object.keys(checks);
    if (!check) {
      const meant = nearest(option, known);
      const what = `this option does not exist; the options are ${known.join(', ')}`;
      return [{ option, what, fix: meant === undefined ? 'use one of those' : `write ${meant}` }];
    }
    const [is, expected] = check;
    if (value === undefined || is(value)) return [];
    return [{ option, what: expected, fix: option === 'rate' ? RATE_FIX : 'use such a value' }];
  });
}

/**
 * Finds the problems in the `rates` of an app or a module.
 *
 * @param rates the value from the author.
 * @returns the problems, each with its index in the list.
 */
export function rateFaults(rates: unknown): Fault[] {
  const fix = "write, for example, rates: [{ per: 'principal', limit: 60, windowMs: 60_000 }]";
  if (rates === undefined) return [];
  if (!Array.isArray(rates)) return [{ option: '', what: 'it must be a list', fix }];
  return rates.flatMap((rate: unknown, index) => {
    const at = `[${index}]`;
    if (!isPlainObject(rate)) return [{ option: at, what: 'it must be an object', fix }];
    const missing = ['limit', 'windowMs'].filter((option) => rate[option] === undefined);
    return [
      ...missing.map((option) => ({ option: `${at}.${option}`, what: 'it is missing', fix })),
      ...faultsOf(rate, RATE_LIMIT).map((fault) => ({ ...fault, option: `${at}.${fault.option}` })),
    ];
  });
}

/**
 * Reads the limits of a definition.
 *
 * @param given the arguments of `@Limit` or the option `limit`.
 * @param at the diagnostics of the definition. Problems are added to them.
 */
export function readLimits(given: readonly unknown[], at: Diagnostics): DeclaredLimit[] {
  return given.flatMap((one) => {
    const limit: unknown = typeof one === 'string' ? { rate: one } : one;
    const place = at.at('limit');
    const refuse = (what: string, fix: string): [] => {
      place.add('SIGIL_INVALID_OPTIONS', what, fix);
      return [];
    };
    if (!isPlainObject(limit))
      return refuse("the limit must be a rate, such as '30/min', or an object with options", LIMIT_FIX);
    const faults = faultsOf(limit, CALL_LIMIT);
    for (const { option, what, fix } of faults)
      place
        .at(option)
        .add(
          'SIGIL_INVALID_OPTIONS',
          option === 'rate' ? `${shown(limit['rate'])} is not a rate` : what,
          fix,
        );
    if (faults.length > 0) return [];
    const { rate, concurrency, per, burst, fail, queueMs } = limit as CallLimit;
    if (rate === undefined && concurrency === undefined)
      return refuse('the limit sets neither "rate" nor "concurrency"', LIMIT_FIX);
    if (rate === undefined && (burst ?? fail) !== undefined)
      return refuse('the options "burst" and "fail" need the option "rate"', LIMIT_FIX);
    if (concurrency === undefined && queueMs !== undefined)
      return refuse('the option "queueMs" needs the option "concurrency"', LIMIT_FIX);
    const [, count = '', unit = ''] = RATE.exec(rate ?? '') ?? [];
    return [
      {
        ...(rate === undefined
          ? {}
          : {
              rate: {
                limit: Number(count),
                windowMs: WINDOWS_MS[unit] ?? 0,
                ...(per === undefined ? {} : { per }),
                ...(burst === undefined ? {} : { burst }),
                ...(fail === undefined ? {} : { fail }),
              },
            }),
        ...(concurrency === undefined
          ? {}
          : { runs: { concurrency, queueMs: queueMs ?? 0, per: per ?? 'app' } }),
      },
    ];
  });
}

function shown(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}
