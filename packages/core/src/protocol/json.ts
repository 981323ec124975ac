import { isBytes, toBase64 } from './base64.js';
import { isPromise } from './maybe-promise.js';

/** A JSON Schema document (dialect 2020-12 unless `$schema` says otherwise). */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/**
 * Whether a value is an object other than `null` or an array.
 *
 * @param value anything, such as parsed JSON.
 * @example
 * ```ts
 * const name = isObject(params) ? params['name'] : undefined;
 * ```
 */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Whether a value is a plain object, such as `{}`, from this realm or another. Instances of classes, `Map` and `Date`
 * are not plain objects.
 *
 * @param value anything, such as options.
 * @example
 * ```ts
 * if (!isPlainObject(options)) throw new TypeError('options must be an object');
 * ```
 */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (!isObject(value)) return false;
  const prototype = Reflect.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Returns the schemas of an object's properties, by name. */
export function propertiesOf({ properties }: JsonSchema): Readonly<Record<string, unknown>> {
  return isObject(properties) ? properties : {};
}

/** An object type without `undefined` among the values of its members. */
type WithoutUndefined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Returns a copy of an object without the members that are `undefined`. */
export function withoutUndefined<T extends object>(members: T): WithoutUndefined<T> {
  return Object.fromEntries(
    Object.entries(members).filter(([, member]) => member !== undefined),
  ) as WithoutUndefined<T>;
}

/**
 * Copies plain objects and lists, at any depth, and freezes the copy. Functions and class instances in them are not
 * copied.
 *
 * @param copies a map from each object that is already copied to its copy.
 * @example
 * ```ts
 * const principal = frozenCopy({ ...found });
 * ```
 */
export function frozenCopy<T>(value: T, copies: Map<unknown, unknown> = new Map()): T {
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value) && !isPlainObject(value)) return value;
  const known = copies.get(value);
  if (known !== undefined) return known as T;
  const copy: object = Array.isArray(value) ? [] : (Object.create(Reflect.getPrototypeOf(value)) as object);
  copies.set(value, copy);
  for (const key of Reflect.ownKeys(value)) {
    if (!Object.prototype.propertyIsEnumerable.call(value, key)) continue;
    const member: unknown = Reflect.get(value, key);
    Object.defineProperty(copy, key, { value: frozenCopy(member, copies), enumerable: true });
  }
  return Object.freeze(copy) as T;
}

/** Maximum length of a text that is always parsed. It cannot contain enough to take long. */
const SHORT = 64 * 1024;
/** Maximum nesting in a long text, far deeper than any value that is accepted. */
const MAX_LEVELS = 10_000;
/** Maximum number of members and items in one message, over all its objects and arrays. */
const MAX_ITEMS = 20_000;

/** Thrown for JSON that would take too long to parse. */
export class TooMuchJsonError extends Error {
  override readonly name = 'TooMuchJsonError';
}

/**
 * Parses a client's JSON. A long text with deep nesting or very many members is refused before `JSON.parse` is called,
 * because parsing it would block the event loop. RFC 8259, section 9, allows such limits.
 *
 * @param text the client's text.
 * @throws SyntaxError if the text is not JSON.
 * @throws TooMuchJsonError when a text of more than 65,536 characters nests deeper than 10,000 levels, or has more than
 *   20,000 members and items.
 * @example
 * ```ts
 * try {
 *   connection.receive(parseJson(text));
 * } catch (error) {
 *   const code = error instanceof TooMuchJsonError ? ERROR_CODES.invalidRequest : ERROR_CODES.parseError;
 *   sink.send(errorResponse(null, { code, message: 'The message cannot be read' }));
 * }
 * ```
 */
export function parseJson(text: string): unknown {
  if (text.length > SHORT) requireBounded(text);
  return JSON.parse(text);
}

function requireBounded(text: string): void {
  let levels = 0;
  let items = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
    } else if (code === BRACKET || code === BRACE) {
      if (++levels > MAX_LEVELS) throw new TooMuchJsonError(`it nests deeper than ${MAX_LEVELS} levels`);
    } else if (code === CLOSING_BRACKET || code === CLOSING_BRACE) levels--;
    else if (code === COMMA && ++items >= MAX_ITEMS)
      throw new TooMuchJsonError(`it has more than ${MAX_ITEMS} members and items`);
  }
}

/**
 * Memory of a value besides its characters: an empty object, or a string with its entries in a set and a map. Measured
 * on V8.
 */
const VALUE_BYTES = 64;

/**
 * Returns an upper estimate of the memory of a parsed value, in bytes. The estimate counts two bytes for each
 * character, and 64 bytes for each value and each member name.
 */
export function bytesOf(value: unknown): number {
  if (typeof value === 'string') return VALUE_BYTES + 2 * value.length;
  if (typeof value !== 'object' || value === null) return VALUE_BYTES;
  let bytes = VALUE_BYTES;
  if (Array.isArray(value)) for (const item of value) bytes += bytesOf(item);
  // Parsed objects have no members but their own; Object.entries would take three times as long.
  else for (const name in value) bytes += bytesOf(name) + bytesOf((value as Record<string, unknown>)[name]);
  return bytes;
}

/** Whether a parsed value has more than `levels` levels of objects and arrays. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeper(item, levels - 1));
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key];
    // Checked here too, because most members are not objects, and a call costs more than the check.
    if (typeof member === 'object' && isDeeper(member, levels - 1)) return true;
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const COMMA = 0x2c;
const BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** The index after the string that starts at a quote, or the end of the text if the string does not end. */
function endOfString(text: string, start: number): number {
  let end = start;
  do {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
  } while (isEscaped(text, end));
  return end;
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}

/**
 * A JSON object that is already serialised. It is for results that are sent often, and for results that contain the
 * same data twice: as JSON, and as text.
 */
export class RawJson {
  /**
   * @param members the members of the object as JSON text, without the braces: `"a":1,"b":[2]`.
   * @param value a function that returns the object, for code that keeps results instead of sending them.
   */
  constructor(
    readonly members: string,
    readonly value: () => Readonly<Record<string, unknown>>,
  ) {}
}

/** Maximum nesting of objects and arrays in a value. Deeper values would exhaust the stack of recursive functions. */
export const MAX_DEPTH = 64;

/** Thrown for a value that JSON cannot represent. The message contains the path of the faulty part of the value. */
export class UnwritableError extends TypeError {
  override readonly name = 'UnwritableError';

  /** @param path the path of the faulty part, such as `orders[0].customer`; empty if the value itself is faulty. */
  constructor(
    readonly path: string,
    readonly why: string,
  ) {
    super(`${path === '' ? 'the value' : `'${path}'`} cannot be written as JSON: it ${why}`);
  }
}

/** Thrown if a value has no JSON form. The place is only searched if it is reported. */
class Unwritable extends Error {}

/**
 * Returns the value that `JSON.stringify` would write, but converts types that would be lost. Bytes become base64, a
 * Set becomes an array, a Map becomes an object, and a bigint becomes a string of digits. A `ToolError` or
 * `ProtocolError` becomes an object with its name and message. Any other Error becomes an object with the name `Error`
 * and the message `Internal error`. Values that are already JSON, including class instances, are returned without a
 * copy.
 *
 * @throws UnwritableError if the value contains itself, has more than 64 levels, or has a member that JSON would drop
 * or change: a function, a symbol, a promise, an iterator, a `Response`, an invalid date, or `NaN`.
 */
export function toJson(value: unknown): unknown {
  return convert(value, false);
}

/**
 * Returns the JSON form of a log message for a client. Unlike `toJson`, this function keeps the name and message of
 * every error, and refuses fewer values.
 */
export function toLogJson(value: unknown): unknown {
  return convert(value, true);
}

function convert(value: unknown, isLog: boolean): unknown {
  try {
    return write(value, MAX_DEPTH, isLog);
  } catch (error) {
    if (!(error instanceof Unwritable)) throw error;
    throw new UnwritableError(...locate(value, error.message, isLog));
  }
}

function write(value: unknown, levels: number, isLog: boolean): unknown {
  if (typeof value !== 'object' || value === null) return scalar(value, isLog);
  if (levels === 0) throw new Unwritable(TOO_DEEP);
  if (ArrayBuffer.isView(value)) return toBase64(value as Uint8Array);
  const own = (value as { toJSON?: unknown }).toJSON;
  if (typeof own === 'function') return ofOwn(value, Reflect.apply(own, value, ['']), levels, isLog);
  return Array.isArray(value)
    ? ofArray(value, levels, isLog)
    : ofObject(value as Record<string, unknown>, levels, isLog);
}

function scalar(value: unknown, isLog: boolean): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    if (isLog) return null;
    throw new Unwritable(`is ${value}, which is not a number in JSON`);
  }
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'function' && typeof value !== 'symbol') return value;
  if (isLog) return undefined;
  throw new Unwritable(`is a ${typeof value}, which JSON cannot represent: leave it out`);
}

/** Returns the result of a value's own `toJSON`. */
function ofOwn(value: object, json: unknown, levels: number, isLog: boolean): unknown {
  if (json === null && !isLog && value instanceof Date) throw new Unwritable('is an invalid date');
  return write(json, levels - 1, isLog);
}

function ofArray(value: readonly unknown[], levels: number, isLog: boolean): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < value.length; index += 1) {
    const element = value[index];
    const json = write(element, levels - 1, isLog) ?? null;
    if (json === element && copy === undefined) continue;
    copy ??= value.slice(0, index);
    copy[index] = json;
  }
  return copy ?? value;
}

function ofObject(value: Record<string, unknown>, levels: number, isLog: boolean): unknown {
  if (value instanceof Error) return isLog ? shownError(value) : maskedError(value);
  let changed: Record<string, unknown> | undefined;
  const keys = Object.keys(value);
  if (keys.length === 0) return ofContainer(value, levels, isLog);
  for (const key of keys) {
    const member = value[key];
    const json = write(member, levels - 1, isLog);
    if (json === member && json !== undefined) continue;
    changed ??= Object.fromEntries(Object.entries(value));
    if (json === undefined) delete changed[key];
    else
      Object.defineProperty(changed, key, {
        value: json,
        enumerable: true,
        writable: true,
        configurable: true,
      });
  }
  return changed ?? value;
}

/** The marks of ToolError and ProtocolError. */
const FOR_CLIENTS = [Symbol.for('sigil:tool-error'), Symbol.for('sigil:protocol-error')];

/**
 * Returns the name of an error and a fixed message. Only errors that are made for clients keep their message.
 * Further members, such as requests with tokens, are left out.
 */
function maskedError(error: Error): object {
  const isForClients = FOR_CLIENTS.some((brand) => brand in error);
  return isForClients ? shownError(error) : { name: 'Error', message: 'Internal error' };
}

function shownError({ name, message }: Error): object {
  return { name: String(name), message: String(message) };
}

const TOO_DEEP = `has more than ${MAX_DEPTH} levels`;
const PROMISE = 'is a promise: await it';

/** Classes whose instances JSON writes completely, even without members. */
const EMPTY = new Set(['Object', 'Number', 'String', 'Boolean']);

/**
 * Returns the members of a container. JSON would write an object without own keys, such as a Map or a Set, as
 * an empty object.
 */
function ofContainer(value: Record<string, unknown>, levels: number, isLog: boolean): unknown {
  if (value instanceof Set) return ofArray([...value], levels, isLog);
  if (value instanceof Map) return ofObject(Object.fromEntries(value as Map<string, unknown>), levels, isLog);
  if (isBytes(value)) return toBase64(value);
  if (isLog) return value;
  if (isPromise(value)) throw new Unwritable(PROMISE);
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1);
  if (!EMPTY.has(kind) || Symbol.iterator in value || Symbol.asyncIterator in value)
    throw new Unwritable(
      `is of the kind ${kind}, which JSON cannot represent: return its contents as text, an object or an array`,
    );
  return value;
}

/** Finds the first place in a value that has no JSON form, for the report. */
function locate(value: unknown, found: string, isLog: boolean): [path: string, why: string] {
  const ancestors: unknown[] = [];
  const visit = (at: unknown, path: string): [string, string] | undefined => {
    if (typeof at !== 'object' || at === null) return faultOf(at, path, isLog);
    if (ancestors.includes(at)) return [path, 'contains itself'];
    if (ancestors.length === MAX_DEPTH) return [path, TOO_DEEP];
    // Database queries are promises that contain their connection.
    if (isPromise(at)) return [path, PROMISE];
    ancestors.push(at);
    const fault = inside(at, path) ?? faultOf(at, path, isLog);
    ancestors.pop();
    return fault;
  };
  const inside = (at: object, path: string): [string, string] | undefined => {
    const own: unknown = Reflect.get(at, 'toJSON');
    if (typeof own === 'function') return visit(Reflect.apply(own, at, ['']), path);
    const members = membersOf(at);
    for (const [key, member] of Object.entries(members)) {
      const step = Array.isArray(members) ? `[${key}]` : path === '' ? key : `.${key}`;
      const fault = visit(member, path + step);
      if (fault) return fault;
    }
    return undefined;
  };
  return visit(value, '') ?? ['', found];
}

/** Returns the reason why a value has no JSON form, although each of its members has one. */
function faultOf(value: unknown, path: string, isLog: boolean): [path: string, why: string] | undefined {
  try {
    write(value, 1, isLog);
  } catch (error) {
    if (error instanceof Unwritable && error.message !== TOO_DEEP) return [path, error.message];
  }
  return undefined;
}

function membersOf(value: object): object {
  if (value instanceof Set) return [...(value as Set<unknown>)];
  return value instanceof Map ? (Object.fromEntries(value as Map<string, unknown>) as object) : value;
}

/** Returns the reason why `JSON.stringify` would fail for a value; `undefined` if it would succeed. */
export function jsonFault(value: unknown): string | undefined {
  try {
    JSON.stringify(value);
    return undefined;
  } catch (error) {
    return `cannot be written as JSON: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`;
  }
}

/** Compares strings by code units. Unlike the order of a locale, this order is the same everywhere. */
export function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the members of an object, sorted by name. */
export function sortedMembers(value: object): [string, unknown][] {
  return Object.entries(value).sort(([a], [b]) => byCodeUnits(a, b));
}

/**
 * Returns JSON with the members of every object in a fixed order, so that equal values have the same text.
 *
 * @param value any value that JSON can represent.
 * @example
 * ```ts
 * const isSame = canonicalJson({ a: 1, b: 2 }) === canonicalJson({ b: 2, a: 1 });
 * ```
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    isObject(member) ? Object.fromEntries(sortedMembers(member)) : member,
  );
}
