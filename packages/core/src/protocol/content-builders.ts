import { type Bytes, toBase64 } from './base64.js';
import type {
  AudioContent,
  BlobResourceContents,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  ResourceContents,
  ResourceLink,
  TextContent,
  TextResourceContents,
} from './content.js';
import type { PromptMessage } from './results.js';

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
