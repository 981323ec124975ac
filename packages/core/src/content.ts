// What handlers return: the builders of content, and its types.
export { content, message, resourceContents } from './protocol/content.js';
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
