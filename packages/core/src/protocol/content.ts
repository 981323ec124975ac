import { type Bytes, toBase64 } from './base64.js';

/** Who a piece of content is for. */
export type Role = 'user' | 'assistant';

/** Hints about how a client should use a piece of content. */
export interface Annotations {
  readonly audience?: readonly Role[];
  /** From 0 (least important) to 1 (effectively required). */
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

/** A resource carried inside a result. */
export interface EmbeddedResource extends ContentBase {
  readonly type: 'resource';
  readonly resource: ResourceContents;
}

/** A pointer to a resource that the client may read. Since 2025-06-18. */
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

/** A picture that stands for a definition or an implementation. Since 2025-11-25. */
export interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: 'light' | 'dark';
}

/** One message of a prompt. */
export interface PromptMessage {
  readonly role: Role;
  readonly content: ContentBlock;
}

type Extras = Pick<TextContent, 'annotations' | '_meta'>;

/** A block of text. */
export function text(value: string, extras: Extras = {}): TextContent {
  return { type: 'text', text: value, ...extras };
}

/** A picture. @param data bytes, or a string that is base64 already. @param mimeType such as `image/png`. */
export function image(data: Bytes | string, mimeType: string, extras: Extras = {}): ImageContent {
  return { type: 'image', data: encode(data), mimeType, ...extras };
}

/** A recording. @param data bytes, or a string that is base64 already. @param mimeType such as `audio/wav`. */
export function audio(data: Bytes | string, mimeType: string, extras: Extras = {}): AudioContent {
  return { type: 'audio', data: encode(data), mimeType, ...extras };
}

/** A resource carried inside a result. Make its contents with `textContents` or `blobContents`. */
export function embedded(resource: ResourceContents, extras: Extras = {}): EmbeddedResource {
  return { type: 'resource', resource, ...extras };
}

/** A pointer to a resource that the client may read. */
export function link(
  uri: string,
  name: string,
  extras: Omit<ResourceLink, 'type' | 'uri' | 'name'> = {},
): ResourceLink {
  return { type: 'resource_link', uri, name, ...extras };
}

/** The text of a resource. */
export function textContents(uri: string, value: string, mimeType = 'text/plain'): TextResourceContents {
  return { uri, mimeType, text: value };
}

/** The bytes of a resource. @param data bytes, or a string that is base64 already. */
export function blobContents(
  uri: string,
  data: Bytes | string,
  mimeType = 'application/octet-stream',
): BlobResourceContents {
  return { uri, mimeType, blob: encode(data) };
}

/** A prompt message in the user's voice. */
export function user(content: string | ContentBlock): PromptMessage {
  return { role: 'user', content: typeof content === 'string' ? text(content) : content };
}

/** A prompt message in the model's voice. */
export function assistant(content: string | ContentBlock): PromptMessage {
  return { role: 'assistant', content: typeof content === 'string' ? text(content) : content };
}

function encode(data: Bytes | string): string {
  return typeof data === 'string' ? data : toBase64(data);
}
