import type { Writable } from 'node:stream';
import type { Logger } from '@sigil/core';
import type { LogMethod } from '@sigil/core/transport';

// An import would load all of node:util before the first line is written.
const { inspect, types } = process.getBuiltinModule('node:util');

/** Options for the lines of a log. */
export interface LineOptions {
  /**
   * The format of lines: `json` is for programs, `text` is for people.
   * @default 'json'
   */
  readonly format?: 'json' | 'text';
  /**
   * Whether lines in the format `text` have colours.
   * @default false
   */
  readonly colors?: boolean;
}

/**
 * Creates a logger that writes each entry as one line of text or of JSON: `level`, `time` (ISO 8601), `message`, then
 * the details. The logger never throws, even if the details cannot be serialized. A string of more than 8,192
 * characters, such as the message of an error, is shortened in its middle.
 *
 * @param stream the destination of the lines; it is not closed.
 * @param options how the lines are written.
 * @example
 * ```ts
 * import { createWriteStream } from 'node:fs';
 *
 * const logger = streamLogger(createWriteStream('server.log', { flags: 'a' }));
 * ```
 */
export function streamLogger(
  stream: Writable,
  { format = 'json', colors = false }: LineOptions = {},
): Logger {
  const line: typeof formatEntry =
    format === 'json' ? (...entry) => printableJson(formatEntry(...entry)) : textWriter(colors);
  const write = writerOf(stream);
  const at =
    (level: keyof Logger): LogMethod =>
    (details: object | string, message?: string) =>
      write(`${line(level, details, message)}\n`, level === 'debug' || level === 'info');
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/**
 * How long a line may wait for others, in milliseconds, and how many characters may wait. Each write costs a system
 * call.
 */
const WAIT_MS = 20;
const MOST_WAITING = 16 * 1024;

/**
 * Collects lines that can wait, and writes them together. A line that cannot wait is written at once, with the lines
 * before it.
 */
function writerOf(stream: Writable): (line: string, canWait: boolean) => void {
  let waiting = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    // Lines that wait when the program ends are still written.
    process.off('exit', flush);
    const lines = waiting;
    waiting = '';
    if (lines !== '') stream.write(lines);
  };
  return (line, canWait) => {
    waiting += line;
    if (!canWait || waiting.length > MOST_WAITING) return flush();
    if (timer) return;
    timer = setTimeout(flush, WAIT_MS).unref();
    process.on('exit', flush);
  };
}

/**
 * Creates a logger for standard error. Clients of stdio servers show or store this output. On a terminal, the
 * logger writes text, with colours unless `NO_COLOR` is set; elsewhere, it writes JSON. The environment
 * variable `LOG_FORMAT` (`text` or `json`) overrides this.
 *
 * @returns the logger, which writes lines as `streamLogger` does.
 * @example
 * ```ts
 * const app = await createApp({ name: 'shop', version: '1.0.0', logger: stderrLogger() });
 * ```
 */
export function stderrLogger(): Logger {
  // If the parent closes our standard error, this must not end the process.
  if (!process.stderr.listeners('error').includes(ignore)) process.stderr.on('error', ignore);
  const { LOG_FORMAT, NO_COLOR = '', FORCE_COLOR = '' } = process.env;
  const { isTTY } = process.stderr;
  const format = LOG_FORMAT === 'json' || LOG_FORMAT === 'text' ? LOG_FORMAT : isTTY ? 'text' : 'json';
  const colors = NO_COLOR === '' && (isTTY || FORCE_COLOR !== '');
  const logger = streamLogger(process.stderr, { format, colors });
  if (LOG_FORMAT !== undefined && LOG_FORMAT !== '' && LOG_FORMAT !== format)
    logger.warn(
      { LOG_FORMAT },
      'the environment variable LOG_FORMAT is ignored: its value must be json or text',
    );
  return logger;
}

function ignore(): void {
  // Log lines that cannot be read are lost.
}

function formatEntry(level: keyof Logger, details: object | string, message: string | undefined): string {
  const time = now();
  if (typeof details === 'string') return JSON.stringify({ level, time, message: bounded(details) });
  const fixed = { level, time, message: message === undefined ? undefined : bounded(message) };
  try {
    // A replacer function would make JSON.stringify many times slower.
    if (isPlain(details)) return joined(JSON.stringify(fixed), JSON.stringify(details));
    const named = types.isNativeError(details) ? { error: details } : details;
    // `fixed` comes first for its place in the line, and last so that no detail of the same name hides its members.
    return JSON.stringify(Object.assign({}, fixed, named, fixed), replace);
  } catch {
    return JSON.stringify({ ...fixed, details: inspected(details) }, replace);
  }
}

/** How many characters are kept at the beginning and at the end of a cut text. A stack has its frames at the end. */
const MOST_CHARACTERS = { first: 6 * 1024, last: 2 * 1024 };
const MOST_TEXT = MOST_CHARACTERS.first + MOST_CHARACTERS.last;

/** Cuts a text to the maximum length, because it may contain client data. */
function bounded(text: string): string {
  if (text.length <= MOST_TEXT) return text;
  const { first, last } = MOST_CHARACTERS;
  return `${text.slice(0, first)}… (${text.length - MOST_TEXT} characters are left out) …${text.slice(-last)}`;
}

const latest = { ms: 0, text: '' };

/** The current time as text; lines in the same millisecond share it. */
function now(): string {
  const ms = Date.now();
  if (ms !== latest.ms) Object.assign(latest, { ms, text: new Date(ms).toISOString() });
  return latest.text;
}

const UNREADABLE = 'cannot be read';

/**
 * Returns the details as Node shows them. If some cannot be read, such as an error whose
 * members throw, the details are read one by one.
 */
function inspected(details: object): unknown {
  const shown = (read: () => unknown): string => {
    try {
      return inspect(read());
    } catch {
      return UNREADABLE;
    }
  };
  const whole = shown(() => details);
  if (whole !== UNREADABLE || types.isProxy(details)) return whole;
  const read = (name: string) => (): unknown => Reflect.get(details, name);
  return Object.fromEntries(Object.keys(details).map((name) => [name, shown(read(name))]));
}

const SECRET =
  /^(?:proxy-)?authorization$|cookie|password|passphrase|secret|(?:api|private|access)[-_]?key|token$|credential/i;

/** Whether a name is the name of a secret, cached by name. */
const KNOWN = new Map<string, boolean>();
const MOST_KNOWN = 1000;

function isSecret(name: string): boolean {
  const known = KNOWN.get(name);
  if (known !== undefined) return known;
  const found = SECRET.test(name);
  if (KNOWN.size < MOST_KNOWN) KNOWN.set(name, found);
  return found;
}

/** The members that each entry has. */
const FIXED: ReadonlySet<string> = new Set(['level', 'time', 'message']);

/** Joins two JSON objects to one. */
function joined(first: string, second: string): string {
  return second === '{}' ? first : `${first.slice(0, -1)},${second.slice(1)}`;
}

/**
 * Whether details are only numbers, booleans and short strings, and no name is that of a secret or of an
 * entry's own member.
 */
function isPlain(details: object): details is Readonly<Record<string, unknown>> {
  if (Object.getPrototypeOf(details) !== Object.prototype) return false;
  for (const name in details) {
    const value: unknown = Reflect.get(details, name);
    if (FIXED.has(name)) return false;
    const isText = typeof value === 'string';
    if (
      isText
        ? value.length > MOST_TEXT || isSecret(name)
        : value !== undefined && typeof value !== 'number' && typeof value !== 'boolean'
    )
      return false;
  }
  return true;
}

function replace(key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'string') return isSecret(key) ? '[redacted]' : bounded(value);
  if (!types.isNativeError(value)) return value;
  // Other members of an error may contain anything: HTTP clients add the request, with its credentials.
  const { name, message, stack, cause, code }: Error & { code?: unknown } = value;
  return {
    name,
    message,
    stack,
    cause,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
  };
}

/** The text for each level. All texts have the same width, so that messages are aligned. */
const LEVELS: Readonly<Record<keyof Logger, readonly [name: string, color: string]>> = {
  debug: ['DEBUG', 'gray'],
  info: ['INFO ', 'green'],
  warn: ['WARN ', 'yellow'],
  error: ['ERROR', 'red'],
};

/**
 * Writes lines for people: the time of day, the level, the message, and the details as `name=value`. Stacks of errors
 * follow below.
 */
function textWriter(colors: boolean): typeof formatEntry {
  const paint = (color: string, text: string): string => {
    const [open, close] = colors ? (inspect.colors[color] ?? []) : [];
    return open === undefined ? text : `\u001b[${open}m${text}\u001b[${close}m`;
  };
  return (level, details, message) => {
    // The entry is first written as JSON, which replaces secrets, and errors that getters throw.
    const entry = JSON.parse(formatEntry(level, details, message)) as Record<string, unknown>;
    const { level: _level, time, message: said, ...rest } = entry;
    const [name, color] = LEVELS[level];
    const shown: string[] = [];
    const stacks: string[] = [];
    for (const [key, value] of Object.entries(rest)) {
      const stack = stackOf(value);
      if (stack === undefined) shown.push(paint('gray', `${key}=`) + plain(value));
      else stacks.push(`\n  ${printable(stack).replaceAll('\n', '\n  ')}`);
    }
    const head = `${paint('gray', String(time).slice(11, 23))} ${paint(color, name)}`;
    return [head, printable(String(said)), ...shown].join(' ') + stacks.join('');
  };
}

/** Returns the stack of an error in JSON form, with the stacks of its causes. */
function stackOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('stack' in value)) return undefined;
  const cause = 'cause' in value ? stackOf(value.cause) : undefined;
  return `${String(value.stack)}${cause === undefined ? '' : `\ncaused by ${cause}`}`;
}

function plain(value: unknown): string {
  return printable(typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value));
}

/**
 * Makes text safe for a terminal. Text from a client may move the cursor, hide characters, or reverse the direction.
 */
function printable(text: string): string {
  return text.replace(CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Makes a line of JSON safe for a terminal. JSON has escaped most control characters, and the others are not ASCII. A
 * check for ASCII is three times as fast as a search.
 */
function printableJson(line: string): string {
  return Buffer.byteLength(line) === line.length ? line : printable(line);
}

const CONTROLS = /[\0-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
