// The types of messages, in the words of the specification.
export type {
  Implementation,
  Prompt as PromptDescriptor,
  PromptArgument,
  Resource as ResourceDescriptor,
  ResourceTemplate as ResourceTemplateDescriptor,
  Tool as ToolDescriptor,
  ToolAnnotations,
} from './protocol/descriptors.js';
export {
  type ClientCapabilities,
  PROTOCOL_VERSIONS,
  type ProtocolVersion,
  type ServerCapabilities,
} from './protocol/protocol.js';
export type {
  CacheableMethod,
  CacheHint,
  CacheScope,
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  ReadResourceResult,
} from './protocol/results.js';
export type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitResult,
  ElicitUrlResult,
  Root,
  SamplingContent,
  SamplingMessage,
} from './protocol/client-requests.js';
export type { JsonSchema } from './protocol/json.js';
