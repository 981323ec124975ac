// What an extension of the protocol is made of, and another container than typedi's.
export type { AppExtension } from './extensions/app-extension.js';
export type {
  Extension,
  ExtensionCall,
  ExtensionFactory,
  ExtensionHost,
  ExtensionMethod,
  ExtensionResult,
  ExtensionSettings,
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
export type { BackgroundDelivery } from './engine/asking/delivery.js';
export { readInputResponses } from './engine/asking/round-trip-states.js';
export type { Registry } from './registry/registry.js';
export { Quota } from './transport/quota.js';
export { missingExtension, OverloadedError } from './errors/errors.js';
export type { Container, ResolutionScope } from './container/container.js';
