import { isObject } from '../../protocol/json.js';
import type { LogLevel } from '../../protocol/logging.js';
import { type ClientCapabilities, METHODS, NOTIFICATIONS } from '../../protocol/protocol.js';

type Params = Readonly<Record<string, unknown>>;

/** A message that has another form in the older dialect than in the specification. */
interface VariantRow {
  /** The method in the specification. */
  readonly name: string;
  /** The method in the dialect; the same if only the parameters differ. */
  readonly old: string;
  /** Converts parameters from the dialect to the specification. If absent, they are the same. */
  readonly read?: (params: Params) => Params;
  /** Converts parameters from the specification to the dialect. If absent, they are the same. */
  readonly write?: (params: Params) => Params;
  /** Converts the client's result from the dialect to the specification. If absent, they are the same. */
  readonly readResult?: (result: Params) => Params;
}

/**
 * The differences between the specification and an older dialect, which some documents describe and some clients use.
 * The dialect has other names for some methods and members. It occurs in messages in both directions, but only in
 * revision 2025-11-25 or earlier. Results that are not in this table are the same in the dialect and the specification.
 */
export const DIALECT: readonly VariantRow[] = [
  { name: NOTIFICATIONS.initialized, old: 'initialized' },
  {
    name: NOTIFICATIONS.cancelled,
    old: '$/cancelled',
    read: (params) => rename(params, 'id', 'requestId'),
    write: (params) => rename(params, 'requestId', 'id'),
  },
  { name: NOTIFICATIONS.progress, old: '$/progress', read: readProgress, write: writeProgress },
  {
    name: METHODS.setLevel,
    old: 'logging/set_level',
    read: (params) => ({ ...params, level: readLevel(params['level']) }),
    write: (params) => ({ ...params, level: writeLevel(params['level']) }),
  },
  {
    name: NOTIFICATIONS.message,
    old: NOTIFICATIONS.message,
    read: ({ message, ...params }) => ({ ...params, level: readLevel(params['level']), data: message }),
    write: ({ data, ...params }) => ({
      ...params,
      level: writeLevel(params['level']),
      message: typeof data === 'string' ? data : JSON.stringify(data),
    }),
  },
  {
    name: METHODS.createMessage,
    old: 'sampling/create_message',
    write: writeSampling,
    readResult: readSampled,
  },
  { name: METHODS.elicit, old: 'elicitation/request' },
];

// Names that the specification also has do not identify the dialect.
const BY_OLD_NAME: ReadonlyMap<string, VariantRow> = new Map(
  DIALECT.filter(({ name, old }) => name !== old).map((row) => [row.old, row]),
);
const BY_NAME: ReadonlyMap<unknown, VariantRow> = new Map(DIALECT.map((row) => [row.name, row]));

/** A request or notification, in the form of the older dialect or of the specification. */
export interface Spoken {
  readonly method: string;
  readonly params?: unknown;
}

/**
 * Translates a client's message from the older dialect into the form of the specification.
 *
 * @returns the message, or `undefined` if the older dialect does not have its method name.
 */
export function fromDialect(method: string, params: unknown): Spoken | undefined {
  const row = BY_OLD_NAME.get(method);
  if (!row) return undefined;
  return { method: row.name, params: row.read && isObject(params) ? row.read(params) : params };
}

/** Translates a request or notification from the server to the older dialect. */
export function toDialect(message: Spoken): Spoken {
  const row = BY_NAME.get(message.method);
  if (!row) return message;
  const { params } = message;
  const written = row.write && isObject(params) ? { params: row.write(params) } : {};
  return { ...message, method: row.old, ...written };
}

/** Translates a client's result from the older dialect into the form of the specification. */
export function resultFromDialect(method: string, result: Params): Params {
  return BY_NAME.get(method)?.readResult?.(result) ?? result;
}

/** The parameters of `initialize` that only the dialect has. */
interface Opening {
  /** The client's capabilities, including the roots that it shares through `workspaceFolders`. */
  readonly capabilities: ClientCapabilities;
  /** The level that `trace` stands for. */
  readonly logLevel: LogLevel | undefined;
  /** The roots in `workspaceFolders`, unchecked; `undefined` if the client must be asked for them. */
  readonly roots: readonly unknown[] | undefined;
}

/**
 * Reads the members `trace` and `workspaceFolders` of `initialize`. They come from the Language Server Protocol, and
 * belong to the older dialect. The folders are ignored if the client declares `roots`: the server then asks the client
 * for its roots, because the answer is newer.
 */
export function readOpening({ trace, workspaceFolders }: Params, declared: ClientCapabilities): Opening {
  const logLevel = TRACES.get(trace);
  const roots = declared.roots ? undefined : readFolders(workspaceFolders);
  return { capabilities: roots ? { ...declared, roots: {} } : declared, logLevel, roots };
}

/** The log level for each value of `trace` in `initialize`. */
const TRACES: ReadonlyMap<unknown, LogLevel> = new Map([
  ['off', 'emergency'],
  ['messages', 'info'],
  ['verbose', 'debug'],
]);

/**
 * Returns the roots from `workspaceFolders`. `null` means that there is no folder (LSP 3.17, "Initialize
 * Request").
 */
function readFolders(folders: unknown): readonly unknown[] | undefined {
  if (folders === null) return [];
  if (!Array.isArray(folders)) return undefined;
  return folders.map((folder: unknown) => {
    const { uri, name } = isObject(folder) ? folder : {};
    return { uri, name };
  });
}

/** Reads a level of the dialect. Validation refuses other values later. */
function readLevel(level: unknown): unknown {
  if (level === 'warn') return 'warning';
  return level === 'trace' ? 'debug' : level;
}

const WRITTEN_LEVELS: ReadonlyMap<unknown, string> = new Map([
  ['notice', 'info'],
  ['warning', 'warn'],
  ['critical', 'error'],
  ['alert', 'error'],
  ['emergency', 'error'],
]);

/** Writes a severity of RFC 5424 as the nearest level of the dialect, which has error, warn, info, debug and trace. */
function writeLevel(level: unknown): unknown {
  return WRITTEN_LEVELS.get(level) ?? level;
}

/** Reads `{token, value}`, whose value is a number or an object with the progress. */
function readProgress({ token, value, ...rest }: Params): Params {
  const told = isObject(value) ? value : { progress: value };
  return { ...rest, ...told, progressToken: token };
}

/** Writes progress as `{token, value}`: the value keeps the members that progress has in the specification. */
function writeProgress({ progressToken, _meta, ...value }: Params): Params {
  return { token: progressToken, value, ...(_meta === undefined ? {} : { _meta }) };
}

/**
 * Writes a sampling request as `{message, context?, modelHint?}`: the last message, the messages before it, and the
 * first hinted model. The other parameters are the same in both; `modelPreferences` is kept for everything else.
 */
function writeSampling({ messages, ...params }: Params): Params {
  const all: readonly unknown[] = Array.isArray(messages) ? messages : [];
  const context = all.slice(0, -1);
  const modelHint = firstHint(params['modelPreferences']);
  return {
    ...params,
    message: textOf(all.at(-1)) ?? all.at(-1) ?? '',
    ...(context.length === 0 ? {} : { context }),
    ...(modelHint === undefined ? {} : { modelHint }),
  };
}

/**
 * Reads `{message, model?, stopReason?}`. A result without a message, or with a malformed message, is returned
 * unchanged.
 */
function readSampled(result: Params): Params {
  const { message, ...rest } = result;
  const said = isObject(message) ? message : { content: message };
  const content =
    typeof said['content'] === 'string' ? { type: 'text', text: said['content'] } : said['content'];
  if (typeof content !== 'object') return result;
  // The specification requires the name of the model; the dialect does not.
  return { model: 'unknown', ...rest, role: said['role'] ?? 'assistant', content };
}

/** The text of a user's message that contains only text. */
function textOf(message: unknown): string | undefined {
  if (!isObject(message) || message['role'] !== 'user') return undefined;
  const blocks = [message['content']].flat();
  const [block] = blocks;
  return blocks.length === 1 && isObject(block) && block['type'] === 'text'
    ? String(block['text'])
    : undefined;
}

function firstHint(preferences: unknown): unknown {
  const hints = isObject(preferences) ? preferences['hints'] : undefined;
  const first: unknown = Array.isArray(hints) ? hints[0] : undefined;
  return isObject(first) ? first['name'] : undefined;
}

function rename(params: Params, from: string, to: string): Params {
  if (!Object.hasOwn(params, from)) return params;
  const { [from]: value, ...rest } = params;
  return { ...rest, [to]: value };
}
