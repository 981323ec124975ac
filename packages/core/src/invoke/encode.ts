import { INPUT_REQUIRED, type InputRequired } from '../context/questions.js';
import { isBytes, toBase64 } from '../protocol/base64.js';
import {
  cacheFaults,
  type CallToolResult,
  type CompleteResult,
  type GetPromptResult,
  type ReadResourceResult,
} from '../protocol/results.js';
import {
  resourceContents,
  type ContentBlock,
  type PromptMessage,
  type ResourceContents,
  message,
  sendableBlock,
  sendableBlocks,
  sendableContents,
} from '../protocol/content.js';
import { isObject, toJson } from '../protocol/json.js';
import type { Logger } from '../protocol/logging.js';
import { after, type MaybePromise } from '../protocol/maybe-promise.js';
import { describesItself, type ValuePlan } from '../schema/index.js';

/**
 * Whether a handler returned an `InputRequired` instead of a result, to ask the client for input. Recognises values
 * from other copies of this package.
 */
export function isInputRequired(value: unknown): value is InputRequired {
  return typeof value === 'object' && value !== null && INPUT_REQUIRED in value;
}

/**
 * Creates a function that converts the return value of a tool without an output schema to a tool result. An
 * `InputRequired` is returned unchanged.
 *
 * The first time the tool returns an instance of a DTO class, or a list of instances, the function logs a warning. The
 * author probably expects an output schema. Sigil cannot derive a schema from the return type `Promise<StockLevel>`,
 * because TypeScript emits only `Promise`.
 *
 * @param where the place of the tool in the author's code, for the warning.
 */
export function advisedEncoder(
  where: string,
  { logger }: { readonly logger: Logger },
): (value: unknown) => CallToolResult | InputRequired {
  let isAdvised = false;
  return (value) => {
    const output = isAdvised ? undefined : describesItself(value);
    if (output !== undefined) {
      isAdvised = true;
      logger.warn(
        { where, output },
        `${where} returns ${output}, but has no output schema: add "output: ${output}" to @Tool()`,
      );
    }
    return encodeByKind(value);
  };
}

/**
 * Converts the return value of a tool with an output schema to a tool result. The value is validated, and becomes
 * `structuredContent`. An `InputRequired`, or a complete result with `isError: true`, is returned without validation.
 */
export function encodeChecked(
  value: unknown,
  output: ValuePlan,
): MaybePromise<CallToolResult | InputRequired> {
  if (isInputRequired(value)) return value;
  if (isToolResult(value)) {
    const result = checkMembers(value);
    // A failed result need not fit the schema (server/tools, "Output Schema").
    if (result.isError === true) return result;
    return after(output.check(result.structuredContent), (structuredContent) => ({
      ...result,
      structuredContent,
    }));
  }
  return after(output.check(value), (structured) => new StructuredResult(structured));
}

function encodeByKind(value: unknown): CallToolResult | InputRequired {
  switch (typeof value) {
    case 'string':
      return { content: [{ type: 'text', text: value }] };
    case 'undefined':
      return { content: [] };
    case 'object':
      return encodeObject(value);
    case 'function':
    case 'symbol':
      throw new TypeError(`a tool returned a ${typeof value}, which cannot be sent to clients`);
    default:
      return { content: [{ type: 'text', text: String(value) }] };
  }
}

function encodeObject(value: object | null): CallToolResult | InputRequired {
  if (value === null) return { content: [] };
  if (isInputRequired(value)) return value;
  if (isToolResult(value)) return checkMembers(value);
  if (isContent(value)) return { content: [sendableBlock(value)] };
  if (isContentList(value)) return { content: sendableBlocks(value) };
  if (isBytes(value)) {
    const resource = {
      uri: 'data:application/octet-stream',
      mimeType: 'application/octet-stream',
      blob: toBase64(value),
    };
    return { content: [{ type: 'resource', resource }] };
  }
  if ('content' in value) refuseMisspelled(value);
  const json = toJson(value);
  return json === undefined ? { content: [] } : new StructuredResult(json);
}

/**
 * Refuses a result with invalid content blocks, because a client could not use it as data either. @throws
 * TypeError if a block is invalid.
 */
function refuseMisspelled(value: object): void {
  if (!isResultLike(value)) return;
  const at = value.content.findIndex(
    (block) => isObject(block) && typeof block['type'] === 'string' && !isContent(block),
  );
  if (at < 0) return;
  throw new TypeError(
    `a tool returned a result whose content[${at}] is not a content block: ` +
      'create blocks with content.text() and similar functions, or return data as { content: [], structuredContent: data }',
  );
}

/**
 * Checks the members of a complete result. @returns the result. @throws TypeError if a member has the wrong
 * type.
 */
function checkMembers(given: CallToolResult): CallToolResult {
  const result = writableResult(given);
  const { isError, _meta } = result;
  if (isError !== undefined && typeof isError !== 'boolean')
    throw new TypeError('"isError" of a result must be true or false');
  if (_meta !== undefined && !isObject(_meta)) throw new TypeError('"_meta" of a result must be an object');
  const content = sendableBlocks(result.content);
  return content === result.content ? result : { ...result, content };
}

/**
 * Returns a result with its structured content as JSON. @throws UnwritableError if the content has no JSON
 * form.
 */
function writableResult(result: CallToolResult): CallToolResult {
  const given = result.structuredContent;
  if (given === undefined) return result;
  const structuredContent = toJson(given);
  return structuredContent === given ? result : { ...result, structuredContent };
}

/** Changes the contents of a resource before they are sent. */
export type ShapeContents = (contents: ResourceContents) => ResourceContents;

/**
 * Converts the return value of a resource to its result. An `InputRequired` is returned unchanged.
 *
 * @param shape a function that changes one item of the contents, and is called for each item; if `undefined`, the
 *   contents stay unchanged.
 * @returns the result; `undefined` if the handler returned nothing, because the resource then does not exist.
 * @throws TypeError if the result has an invalid cache hint.
 */
export function encodeResource(
  value: unknown,
  uri: string,
  mimeType: string | undefined,
  shape: ShapeContents | undefined,
): ReadResourceResult | InputRequired | undefined {
  if (value === undefined || value === null) return undefined;
  if (isInputRequired(value)) return value;
  const result = toResult(value, uri, mimeType);
  if (!shape && !result.contents.some((contents) => 'blob' in contents)) return result;
  const contents = result.contents.map(sendableContents);
  return { ...result, contents: shape ? contents.map(shape) : contents };
}

function isReadResult(value: unknown): value is ReadResourceResult {
  return isObject(value) && Array.isArray(value['contents']) && value['contents'].every(isResourceContents);
}

function toResult(value: unknown, uri: string, mimeType: string | undefined): ReadResourceResult {
  if (isReadResult(value)) return checked(value);
  if (isResourceContents(value)) return { contents: [value] };
  if (Array.isArray(value) && value.length > 0 && value.every(isResourceContents)) return { contents: value };
  return { contents: [encodeValue(value, uri, mimeType)] };
}

/**
 * Refuses an invalid cache hint: without a time limit or with an unknown scope, clients would decide
 * themselves.
 */
function checked(result: ReadResourceResult): ReadResourceResult {
  if (result.ttlMs === undefined && result.cacheScope === undefined) return result;
  for (const { member, expected } of cacheFaults(result))
    throw new TypeError(`"${member}" of a result must be ${expected}`);
  return result;
}

function encodeValue(value: unknown, uri: string, mimeType: string | undefined): ResourceContents {
  if (typeof value === 'string') return resourceContents.text(uri, value, mimeType);
  if (isBytes(value)) return resourceContents.blob(uri, value, mimeType);
  const text: string | undefined = JSON.stringify(toJson(value));
  if (text === undefined)
    throw new TypeError(`a resource returned a ${typeof value} that JSON cannot represent`);
  return resourceContents.text(uri, text, mimeType ?? 'application/json');
}

function isPromptResult(value: unknown): value is GetPromptResult {
  return isObject(value) && Array.isArray(value['messages']) && value['messages'].every(isPromptMessage);
}

/**
 * Converts the return value of a prompt to its result. An `InputRequired` is returned unchanged.
 *
 * @throws TypeError if the value cannot become a prompt.
 */
export function encodePrompt(
  value: unknown,
  description: string | undefined,
): GetPromptResult | InputRequired {
  if (isInputRequired(value)) return value;
  if (isPromptResult(value)) return { ...value, messages: value.messages.map(sendableMessage) };
  if (isObject(value) && Array.isArray(value['messages'])) {
    throw new TypeError('"messages" of a prompt must be messages from message.user() or message.assistant()');
  }
  const messages = (Array.isArray(value) ? value : [value]).map((item) => sendableMessage(toMessage(item)));
  return description === undefined ? { messages } : { description, messages };
}

function sendableMessage(given: PromptMessage): PromptMessage {
  return { ...given, content: sendableBlock(given.content) };
}

function toMessage(value: unknown): PromptMessage {
  if (isPromptMessage(value)) return value;
  if (typeof value === 'string' || isContent(value)) return message.user(value);
  throw new TypeError(
    'a prompt must return text, content, { messages }, or one or more messages from message.user() or message.assistant()',
  );
}

/** Maximum number of values in one response (specification 2026-07-28, server/utilities/completion). */
const MAX_VALUES = 100;

/**
 * Converts the return value of a completion method to its result.
 *
 * @throws TypeError if the value is an `InputRequired`, or is otherwise not a valid list of suggestions.
 */
export function encodeCompletion(value: unknown): CompleteResult {
  if (isInputRequired(value)) {
    throw new TypeError(
      'a completion cannot ask for input; only tools, prompts and resources can. Return the values that are known without this input',
    );
  }
  const given = unwrap(value);
  const values = given['values'];
  if (!Array.isArray(values) || !values.every((item) => typeof item === 'string')) {
    throw new TypeError('a completion must return a list of strings, or { values, total?, hasMore? }');
  }
  const total = typeof given['total'] === 'number' ? given['total'] : values.length;
  const shown = values.slice(0, MAX_VALUES);
  const hasMore =
    given['hasMore'] === undefined
      ? total > shown.length
      : given['hasMore'] === true || shown.length < values.length;
  return { completion: { values: shown, total, hasMore } };
}

/**
 * Returns the completion in a value: the value may be a complete result, its `completion`, or only the
 * strings.
 */
function unwrap(value: unknown): Record<string, unknown> {
  if (!isObject(value)) return { values: value };
  return isObject(value['completion']) ? value['completion'] : value;
}

/**
 * A tool result that contains one JSON value, as structured content and as text. The value is serialised only
 * once.
 */
export class StructuredResult implements CallToolResult {
  /** The value as JSON. */
  readonly json: string;

  constructor(readonly structuredContent: unknown) {
    this.json = JSON.stringify(structuredContent) ?? 'null';
  }

  get content(): readonly ContentBlock[] {
    return [{ type: 'text', text: this.json }];
  }

  toJSON(): CallToolResult {
    return { content: this.content, structuredContent: this.structuredContent };
  }
}

const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource: ['resource'],
  resource_link: ['uri', 'name'],
};

const RESULT_KEYS = new Set(['content', 'structuredContent', 'isError', '_meta']);

/** Whether a value is a content block. */
function isContent(value: unknown): value is ContentBlock {
  if (!isObject(value) || typeof value['type'] !== 'string' || !Object.hasOwn(REQUIRED, value['type']))
    return false;
  return (REQUIRED[value['type']] ?? []).every((key) => value[key] !== undefined);
}

/** Whether a value is a list of content blocks, at least one. */
function isContentList(value: unknown): value is readonly ContentBlock[] {
  return Array.isArray(value) && value.length > 0 && value.every(isContent);
}

/**
 * Whether a value is a complete tool result: it has `content`, and no members that a result does not have.
 */
function isToolResult(value: unknown): value is CallToolResult {
  return isResultLike(value) && value.content.every(isContent);
}

/** Whether a value has a list as `content`, and only members of a result. */
function isResultLike(value: unknown): value is { readonly content: readonly unknown[] } {
  if (!isObject(value) || !Array.isArray(value['content'])) return false;
  return Object.keys(value).every((key) => RESULT_KEYS.has(key));
}

/** Whether a value is the contents of a resource. */
function isResourceContents(value: unknown): value is ResourceContents {
  if (!isObject(value) || typeof value['uri'] !== 'string') return false;
  return typeof value['text'] === 'string' || typeof value['blob'] === 'string' || isBytes(value['blob']);
}

/** Whether a value is a prompt message. */
function isPromptMessage(value: unknown): value is PromptMessage {
  if (!isObject(value) || !isContent(value['content'])) return false;
  return value['role'] === 'user' || value['role'] === 'assistant';
}
