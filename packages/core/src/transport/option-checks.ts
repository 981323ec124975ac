import { isObject, isPlainObject } from '../protocol/json.js';
import type { Logger } from '../protocol/logging.js';
import { nearest } from '../protocol/nearest.js';
import { Diagnostics } from '../errors/errors.js';
import { MAX_DELAY_MS } from './deadlines.js';

const FIX = 'use a valid value, or leave the option out if it has a default';

/**
 * Warns about query parameters of a URL if the database driver does not support them, for example because of a typing
 * error in `sslmode`.
 *
 * @param option the option that contains the URL, such as `redis({ url })`.
 * @param known the parameters that the driver supports.
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
  const supported = known.length > 0 ? known.join(', ') : 'none';
  logger?.warn({ parameters }, `${option} ignores unknown parameters; supported are: ${supported}`);
}

/** A table of all options of a type. A table that lacks an option does not compile. */
export type OptionTable<T> = Readonly<Record<keyof T, true>>;

/** The names of options, as a list or as the keys of a table. */
type OptionNames = readonly string[] | Readonly<Record<string, unknown>>;

function listed(names: OptionNames): readonly string[] {
  return isObject(names) ? Object.keys(names) : names;
}

/**
 * Collects the faults in the options of one function or class, so that the author of the app sees all faults at once.
 * To refuse an option means to add a fault; of the methods of an instance, only `throwIfAny` throws.
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
   * @param of the function or class that accepts the options, such as `http`.
   * @param diagnostics receives the faults.
   */
  constructor(
    readonly of: string,
    private readonly diagnostics: Diagnostics = new Diagnostics(),
  ) {}

  /**
   * Refuses an option.
   *
   * @param option the name of the option, with the name of its group: `limits.maxBodyBytes`.
   * @param what the fault.
   * @param fix the fix.
   */
  refuse(option: string, what: string, fix: string = FIX): void {
    this.diagnostics.at(`${this.of}({ ${option} })`).add('SIGIL_INVALID_OPTIONS', what, fix);
  }

  /** Refuses options with unknown names, because an option with a misspelt name would have no effect. */
  known(options: object, known: OptionNames, group = ''): void {
    const names = listed(known);
    for (const option of Object.keys(options).filter((name) => !names.includes(name))) {
      const meant = nearest(option, names);
      const fix = meant === undefined ? 'use one of those' : `write ${group}${meant}`;
      this.refuse(group + option, `this option does not exist; the options are ${names.join(', ')}`, fix);
    }
  }

  /** Refuses a group of options that is not an object. @returns the group, or an empty object if it was refused. */
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
   * @param most the maximum. By default, it is the longest delay of a timer if the option's name ends in `Ms`, or else
   *   the largest safe integer.
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

  /** Refuses values other than a boolean or `undefined`, because the string 'false' would count as true. */
  booleans(options: object, ...names: readonly string[]): void {
    for (const name of names) {
      const value: unknown = Reflect.get(options, name);
      if (value !== undefined && typeof value !== 'boolean')
        this.refuse(name, `it must be true or false, not ${shown(value)}`);
    }
  }

  /** Refuses every member of a group that is neither a positive integer nor `undefined`. */
  integers(values: object, group = ''): void {
    for (const [option, value] of Object.entries(values)) this.integer(group + option, value);
  }

  /** Refuses an object that lacks a required method, for example a store that the author of the app has written. */
  methods(option: string, value: unknown, ...methods: readonly string[]): void {
    if (value === undefined) return;
    if (!isObject(value) || !methods.every((method) => typeof value[method] === 'function'))
      this.refuse(option, `it must be an object with the methods ${methods.join(', ')}`);
  }

  /**
   * Throws an error if the options are not an object, because the members of other values cannot be checked.
   *
   * @throws DefinitionError if the options are not an object.
   */
  static requireObject(of: string, options: unknown): void {
    if (isPlainObject(options)) return;
    const diagnostics = new Diagnostics();
    const what = 'its options must be an object';
    diagnostics
      .at(`${of}()`)
      .add('SIGIL_INVALID_OPTIONS', what, `write ${of}({ … }), or leave the options out`);
    diagnostics.throwIfAny();
  }

  /**
   * Checks options that must all be positive integers.
   *
   * @param of the class that accepts the options.
   * @param table an object with the names of all options as keys.
   * @throws DefinitionError if an option is invalid.
   */
  static limits<T extends object>(of: string, options: T, table: Readonly<Record<keyof T, unknown>>): void {
    OptionChecks.requireObject(of, options);
    const checks = new OptionChecks(of);
    checks.known(options, table);
    checks.integers(options);
    checks.throwIfAny();
  }

  /**
   * Returns only the options whose names a table contains. Backends pass the result to the part that accepts these
   * options.
   */
  static pick<T extends object, K extends keyof T>(options: T, table: Readonly<Record<K, true>>): Pick<T, K> {
    const picked: Partial<Pick<T, K>> = {};
    for (const name in table) if (name in options) picked[name] = options[name];
    return picked as Pick<T, K>;
  }

  /** Throws all faults that were found, if any. @throws DefinitionError with these faults. */
  throwIfAny(): void {
    this.diagnostics.throwIfAny();
  }
}

/** Returns a value in a form that shows its type: '5' is not 5. */
function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  return Array.isArray(value) ? 'a list' : String(value);
}
