import { isObject, isPlainObject } from '../protocol/json.js';
import type { Logger } from '../protocol/logging.js';
import { nearest } from '../protocol/nearest.js';
import { Diagnostics } from '../errors/errors.js';
import { MAX_DELAY_MS } from './deadlines.js';

const FIX = 'give a value in range, or leave the option out where it has a default';

/**
 * Warns of parameters in an address that its driver ignores silently, such as a misspelt `sslmode`.
 *
 * @param option the option with the address, such as `redis({ url })`.
 * @param known the parameters that there are.
 * @example
 * ```ts
 * warnOfParameters(logger, 'queue({ url })', options.url, ['timeout']);
 * ```
 */
export function warnOfParameters(
  logger: Logger | undefined,
  option: string,
  url: string | undefined,
  known: readonly string[],
): void {
  const given = [...new URLSearchParams(url?.split('?')[1]).keys()];
  const parameters = given.filter((name) => !known.includes(name));
  if (parameters.length === 0) return;
  const there = known.length > 0 ? `there are ${known.join(', ')}` : 'there are none';
  logger?.warn({ parameters }, `${option} passes over parameters that it does not know; ${there}`);
}

/** The options that a type has, all of them: a table that lacks one does not compile. */
export type OptionTable<T> = Readonly<Record<keyof T, true>>;

/** The names of options, as a list, or as a table that has them as its members. */
type OptionNames = readonly string[] | Readonly<Record<string, unknown>>;

function listed(names: OptionNames): readonly string[] {
  return isObject(names) ? Object.keys(names) : names;
}

/**
 * Collects the faults in the options of one function, so that its author sees all of them at once.
 *
 * @example
 * ```ts
 * const checks = new OptionChecks('http');
 * checks.known(options, ['port', 'limits']);
 * checks.integer('limits.maxBodyBytes', options.limits?.maxBodyBytes);
 * checks.throwIfAny();
 * ```
 */
export class OptionChecks {
  /**
   * @param of the function or class that takes the options, such as `http`.
   * @param diagnostics receives the faults.
   */
  constructor(
    readonly of: string,
    private readonly diagnostics: Diagnostics = new Diagnostics(),
  ) {}

  /**
   * Refuses an option.
   *
   * @param option its name, with that of its group: `limits.maxBodyBytes`.
   * @param what the fault.
   * @param fix the fix.
   */
  refuse(option: string, what: string, fix: string = FIX): void {
    this.diagnostics.at(`${this.of}({ ${option} })`).add('SIGIL_INVALID_OPTIONS', what, fix);
  }

  /** Refuses options that do not exist: a limit whose name is misspelt would be no limit. */
  known(options: object, known: OptionNames, group = ''): void {
    const names = listed(known);
    for (const option of Object.keys(options).filter((name) => !names.includes(name))) {
      const meant = nearest(option, names);
      const fix = meant === undefined ? 'give one of those' : `write ${group}${meant}`;
      this.refuse(group + option, `there is no such option; there are ${names.join(', ')}`, fix);
    }
  }

  /** Refuses a group of options that is not an object. @returns the group, or an empty one. */
  group(option: string, value: unknown, known: OptionNames): Readonly<Record<string, unknown>> {
    if (value === undefined) return {};
    if (!isPlainObject(value)) {
      this.refuse(option, `it must be an object with any of ${listed(known).join(', ')}`);
      return {};
    }
    this.known(value, known, `${option}.`);
    return value;
  }

  /**
   * Refuses values other than a positive integer or `undefined`.
   *
   * @param most the maximum; by default, for options that end in `Ms`, the longest delay of a timer.
   */
  integer(
    option: string,
    value: unknown,
    most: number = option.endsWith('Ms') ? MAX_DELAY_MS : Number.MAX_SAFE_INTEGER,
  ): void {
    if (value === undefined) return;
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value <= 0)
      this.refuse(option, `it must be a positive integer, not ${shown(value)}`);
    else if (value > most) this.refuse(option, `it must be at most ${most}, not ${shown(value)}`);
  }

  /** Refuses values other than a boolean or `undefined`: 'false' would count as true. */
  booleans(options: object, ...names: readonly string[]): void {
    for (const name of names) {
      const value: unknown = Reflect.get(options, name);
      if (value !== undefined && typeof value !== 'boolean')
        this.refuse(name, `it must be true or false, not ${shown(value)}`);
    }
  }

  /** Refuses every member that is not a positive integer, by its name in the group. */
  integers(values: object, group = ''): void {
    for (const [option, value] of Object.entries(values)) this.integer(group + option, value);
  }

  /** Refuses an object, such as a store of the author's own, that lacks methods. */
  methods(option: string, value: unknown, ...methods: readonly string[]): void {
    if (value === undefined) return;
    if (!isObject(value) || !methods.every((method) => typeof value[method] === 'function'))
      this.refuse(option, `it must be an object with the methods ${methods.join(', ')}`);
  }

  /**
   * Refuses options other than an object, because nothing else can be checked.
   *
   * @throws DefinitionError if they are not an object.
   */
  static requireObject(of: string, options: unknown): void {
    if (isPlainObject(options)) return;
    const diagnostics = new Diagnostics();
    const what = 'its options must be an object';
    diagnostics.at(`${of}()`).add('SIGIL_INVALID_OPTIONS', what, `write ${of}({ … }), or leave them out`);
    diagnostics.throwIfAny();
  }

  /**
   * Checks options that are positive integers, all of them.
   *
   * @param of the class that takes them.
   * @param table has all that there are as its members.
   * @throws DefinitionError when one is wrong.
   */
  static limits<T extends object>(of: string, options: T, table: Readonly<Record<keyof T, unknown>>): void {
    OptionChecks.requireObject(of, options);
    const checks = new OptionChecks(of);
    checks.known(options, table);
    checks.integers(options);
    checks.throwIfAny();
  }

  /** Picks the options in a table: a backend passes each of its parts its own. */
  static pick<T extends object, K extends keyof T>(options: T, table: Readonly<Record<K, true>>): Pick<T, K> {
    const picked: Partial<Pick<T, K>> = {};
    for (const name in table) if (name in options) picked[name] = options[name];
    return picked as Pick<T, K>;
  }

  /** @throws DefinitionError with everything that was found. */
  throwIfAny(): void {
    this.diagnostics.throwIfAny();
  }
}

/** A value as its author wrote it: '5' is not 5. */
function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  return Array.isArray(value) ? 'a list' : String(value);
}
