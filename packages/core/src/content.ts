// What handlers return: the builders of content, and its types; and the text of what others have given.
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
