// The return values of handlers: the builders of content and its types, and a reader of their text.
export { content, message, resourceContents, textOf } from './protocol/content.js';
export type {
  Annotations,
  AudioContent,
  ContentBlock,
  EmbeddedResource,
  Icon,
  ImageContent,
  PromptMessage,
  ResourceContents,
  ResourceLink,
  Role,
  TextContent,
} from './protocol/content.js';
