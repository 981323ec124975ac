import { type Bytes, isBase64, isBytes, toBase64 } from './base64.js';
import { isObject } from './json.js';

/** The sender of a message, or the audience of content. */
export type Role = 'user' | 'assistant';

/** Hints about how a client should use a piece of content. */
export interface Annotations {
  readonly audience?: readonly Role[];
  /** The importance of the content, from 0 (least important) to 1 (effectively required). */
  readonly priority?: number;
  /** ISO 8601 time of the last change. Since 2025-06-18. */
  readonly lastModified?: string;
}

interface ContentBase {
  readonly annotations?: Annotations;
  readonly _meta?: Record<string, unknown>;
}

/** Text for the model or the user. */
export interface TextContent extends ContentBase {
  readonly type: 'text';
  readonly text: string;
}

/** A picture, base64-encoded. */
export interface ImageContent extends ContentBase {
  readonly type: 'image';
  readonly data: string;
  readonly mimeType: string;
}

/** A recording, base64-encoded. Since 2025-03-26. */
export interface AudioContent extends ContentBase {
  readonly type: 'audio';
  readonly data: string;
  readonly mimeType: string;
}

/** The text of a resource. */
interface TextResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text: string;
  readonly _meta?: Record<string, unknown>;
}

/** The bytes of a resource, base64-encoded. */
interface BlobResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly blob: string;
  readonly _meta?: Record<string, unknown>;
}

/** The contents of a resource, as text or as bytes. */
export type ResourceContents = TextResourceContents | BlobResourceContents;

/** A resource inside a tool result or a prompt message. */
export interface EmbeddedResource extends ContentBase {
  readonly type: 'resource';
  readonly resource: ResourceContents;
}

/** A link to a resource that the client can read. Since 2025-06-18. */
export interface ResourceLink extends ContentBase {
  readonly type: 'resource_link';
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly icons?: readonly Icon[];
}

/** One block of a tool result or prompt message. */
export type ContentBlock = TextContent | ImageContent | AudioContent | EmbeddedResource | ResourceLink;

/** A picture that represents a tool, resource, prompt, client or server. Since 2025-11-25. */
export interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: 'light' | 'dark';
}

/**
 * One message of a prompt.
 *
 * @typeParam B the kind of its content.
 */
export interface PromptMessage<B extends ContentBlock = ContentBlock> {
  readonly role: Role;
  readonly content: B;
}

type Extras = Pick<TextContent, 'annotations' | '_meta'>;
type LinkExtras = Omit<ResourceLink, 'type' | 'uri' | 'name'>;

/**
 * Creates content blocks for tool results and prompt messages. Each function throws a TypeError for a member that
 * clients would not understand, such as a number where a text is expected.
 *
 * @example
 * ```ts
 * return [content.text('The chart of today'), content.image(png, 'image/png')];
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result
 */
export const content = {
  /**
   * Creates a block of text.
   *
   * @param value the text.
   * @param extras annotations and `_meta`.
   */
  text(value: string, extras: Extras = {}): TextContent {
    return checkedBlock({ type: 'text', text: value, ...extras });
  },

  /**
   * Creates a picture.
   *
   * @param data bytes, or a string that is already base64.
   * @param mimeType the MIME type, such as `image/png`.
   * @param extras annotations and `_meta`.
   */
  image(data: Bytes | string, mimeType: string, extras: Extras = {}): ImageContent {
    return checkedBlock({ type: 'image', data: encode(data), mimeType, ...extras });
  },

  /**
   * Creates a recording.
   *
   * @param data bytes, or a string that is already base64.
   * @param mimeType the MIME type, such as `audio/wav`.
   * @param extras annotations and `_meta`.
   */
  audio(data: Bytes | string, mimeType: string, extras: Extras = {}): AudioContent {
    return checkedBlock({ type: 'audio', data: encode(data), mimeType, ...extras });
  },

  /**
   * Embeds a resource in a result.
   *
   * @param resource the result of `resourceContents.text()` or `resourceContents.blob()`.
   * @param extras annotations and `_meta`.
   */
  resource(resource: ResourceContents, extras: Extras = {}): EmbeddedResource {
    return checkedBlock({ type: 'resource', resource, ...extras });
  },

  /**
   * Creates a link to a resource that the client can read.
   *
   * @param uri the URI of the resource.
   * @param name the name to show for the resource.
   * @param extras title, description, MIME type, size in bytes, icons, annotations and `_meta`.
   */
  resourceLink(uri: string, name: string, extras: LinkExtras = {}): ResourceLink {
    return checkedBlock({ type: 'resource_link', uri, name, ...extras });
  },
};

/**
 * Creates the contents of a resource, for handlers of resources and for `content.resource()`.
 *
 * @example
 * ```ts
 * return resourceContents.text('config://app', JSON.stringify(config), 'application/json');
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-contents
 */
export const resourceContents = {
  /**
   * Creates the contents of a text resource.
   *
   * @param uri the URI of the resource.
   * @param value the text.
   * @param mimeType `text/plain` by default.
   */
  text(uri: string, value: string, mimeType = 'text/plain'): TextResourceContents {
    return { uri, mimeType, text: value };
  },

  /**
   * Creates the contents of a binary resource.
   *
   * @param uri the URI of the resource.
   * @param data bytes, or a string that is already base64.
   * @param mimeType `application/octet-stream` by default.
   */
  blob(uri: string, data: Bytes | string, mimeType = 'application/octet-stream'): BlobResourceContents {
    return { uri, mimeType, blob: encode(data) };
  },
};

/** Creates a message from a text or a content block. */
interface MessageBuilder {
  (block: string): PromptMessage<TextContent>;
  <B extends ContentBlock>(block: B): PromptMessage<B>;
  (block: string | ContentBlock): PromptMessage;
}

/**
 * Builds the messages of a prompt or of a sampling request.
 *
 * @example
 * ```ts
 * return [message.user('Summarize this'), message.assistant('Here is what matters:')];
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#promptmessage
 */
export const message: { readonly user: MessageBuilder; readonly assistant: MessageBuilder } = {
  /** Creates a message with the role `user` from a text or a content block. */
  user: messageBuilder('user'),

  /** Creates a message with the role `assistant` from a text or a content block. */
  assistant: messageBuilder('assistant'),
};

/** A result of a tool, a resource or a prompt, or a model's answer. */
type Result =
  | { readonly content: object | readonly object[] }
  | { readonly contents: readonly object[] }
  | { readonly messages: readonly { readonly content: object }[] };

/**
 * Returns the text of a result: the texts of all its blocks or contents, each on a line of its own. Blocks without text
 * are left out.
 *
 * @param result the result of a tool, resource or prompt, or of `ctx.sample()`.
 * @example
 * ```ts
 * const summary = textOf(await ctx.sample({ messages: [message.user('Summarize this')], maxTokens: 100 }));
 * ```
 */
export function textOf(result: Result): string {
  return partsOf(result).flatMap(textIn).join('\n');
}

function partsOf(result: Result): readonly object[] {
  if ('contents' in result) return result.contents;
  return 'messages' in result ? result.messages.map((one) => one.content) : [result.content].flat();
}

function textIn(part: { readonly text?: unknown; readonly resource?: object }): string[] {
  if (part.resource) return textIn(part.resource);
  return typeof part.text === 'string' ? [part.text] : [];
}

function messageBuilder(role: Role): MessageBuilder {
  function build(block: string): PromptMessage<TextContent>;
  function build<B extends ContentBlock>(block: B): PromptMessage<B>;
  function build(block: string | ContentBlock): PromptMessage;
  function build(block: string | ContentBlock): PromptMessage {
    return { role, content: typeof block === 'string' ? content.text(block) : block };
  }
  return build;
}

function encode(data: Bytes | string): string {
  return typeof data === 'string' ? data : base64Of(data, 'The data');
}

/** The members of a content block that are checked before it is sent. */
interface UncheckedBlock {
  readonly type: string;
  readonly text?: unknown;
  readonly data?: unknown;
  readonly mimeType?: unknown;
  readonly resource?: unknown;
  readonly uri?: unknown;
  readonly name?: unknown;
  readonly annotations?: unknown;
  readonly _meta?: unknown;
}

/** The members of each block type that must be strings. */
const STRINGS: Readonly<Record<string, readonly (keyof UncheckedBlock)[]>> = {
  text: ['text'],
  image: ['mimeType'],
  audio: ['mimeType'],
  resource_link: ['uri', 'name'],
};

/** Returns the block itself. @throws TypeError if a member has a type that clients do not expect. */
function checkedBlock<B extends UncheckedBlock>(block: B): B {
  if (isPlainText(block)) return block;
  for (const member of STRINGS[block.type] ?? []) {
    if (typeof block[member] !== 'string')
      throw new TypeError(`"${member}" of ${block.type} content must be a string`);
  }
  if (block.type === 'resource' && !isObject(block.resource))
    throw new TypeError(
      '"resource" of resource content must be a result of resourceContents.text() or resourceContents.blob()',
    );
  if (block._meta !== undefined && !isObject(block._meta))
    throw new TypeError(`"_meta" of ${block.type} content must be an object`);
  if (block.annotations !== undefined) checkAnnotations(block.annotations);
  return block;
}

function checkAnnotations(annotations: unknown): void {
  if (!isObject(annotations)) throw new TypeError('"annotations" of content must be an object');
  const { audience, priority, lastModified } = annotations;
  if (audience !== undefined && !(Array.isArray(audience) && audience.every(isRole)))
    throw new TypeError('"audience" of annotations must be a list that contains only "user" or "assistant"');
  if (priority !== undefined && !(typeof priority === 'number' && priority >= 0 && priority <= 1))
    throw new TypeError('"priority" of annotations must be a number from 0 to 1');
  if (lastModified !== undefined && typeof lastModified !== 'string')
    throw new TypeError('"lastModified" of annotations must be a time in ISO 8601');
}

function isRole(value: unknown): value is Role {
  return value === 'user' || value === 'assistant';
}

/**
 * Returns a content block in the form that clients receive: binary data becomes base64.
 *
 * @throws TypeError if `data` or `blob` is text that is not base64, or if a member has a type that clients do not
 *   expect.
 */
export function sendableBlock<B extends UncheckedBlock>(block: B): B {
  checkedBlock(block);
  switch (block.type) {
    case 'image':
    case 'audio': {
      const data = base64Of(block.data, `"data" of ${block.type} content`);
      return data === block.data ? block : { ...block, data };
    }
    case 'resource': {
      const resource = block.resource as ResourceContents;
      const sent = sendableContents(resource);
      return sent === resource ? block : { ...block, resource: sent };
    }
    default:
      return block;
  }
}

/** Returns content blocks in the form that clients receive. If all blocks are plain text, returns the given list. */
export function sendableBlocks<B extends UncheckedBlock>(blocks: readonly B[]): readonly B[] {
  return blocks.every(isPlainText) ? blocks : blocks.map(sendableBlock);
}

/** Whether a block contains a text and nothing else. */
function isPlainText({ type, text, annotations, _meta }: UncheckedBlock): boolean {
  return type === 'text' && typeof text === 'string' && annotations === undefined && _meta === undefined;
}

/**
 * Returns the contents of a resource in the form that clients receive.
 * @throws TypeError if the blob is neither bytes nor base64.
 */
export function sendableContents<C extends ResourceContents>(contents: C): C {
  if (!('blob' in contents) || contents.blob === undefined) return contents;
  const blob = base64Of(contents.blob, '"blob" of the contents of a resource');
  return blob === contents.blob ? contents : { ...contents, blob };
}

function base64Of(data: unknown, what: string): string {
  if (isBytes(data)) return toBase64(data);
  if (typeof data === 'string' && isBase64(data)) return data;
  throw new TypeError(
    `${what} must be bytes or base64; if you have a data URL, pass only the part after the comma`,
  );
}
