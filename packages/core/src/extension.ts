// The exports for extensions of the protocol, and for other containers than typedi's and frameworks around them.
export type { AppExtension } from './extensions/app-extension.js';
export type {
  Extension,
  ExtensionCall,
  ExtensionFactory,
  ExtensionHost,
  ExtensionMethod,
  ExtensionResult,
  ExtensionSettings,
  RecordedCall,
  Replay,
  ToolCalls,
} from './engine/extension.js';
export type {
  DefinitionDetails,
  DefinitionHooks,
  Entry,
  FindResource,
  PromptEntry,
  ResourceEntry,
  TemplateEntry,
  ToolEntry,
} from './registry/entry.js';
export type { TaskAbort } from './engine/observers.js';
export type { BackgroundDelivery } from './engine/asking/delivery.js';
export type { Answer, InputRequest, InputRequests, Journal } from './engine/asking/round-trip-state.js';
export { withAnswers } from './engine/asking/round-trip-state.js';
export { readInputResponses } from './engine/asking/round-trip-states.js';
export type { Registry } from './registry/registry.js';
export { quickDigest, sha256 } from './protocol/digest.js';
export { Quota } from './transport/quota.js';
export { missingExtension } from './errors/errors.js';
export { lacksScopes } from './protocol/principal.js';
export type { Container, ResolutionScope } from './container/container.js';
