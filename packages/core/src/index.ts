import 'reflect-metadata';

// The app
export { createApp } from './server/create-app.js';
export { App } from './server/app.js';
export { readInputResponses, type StateKey } from './engine/asking/round-keeper.js';
export { MemoryStateStore, type StateLimits, type StateStore } from './engine/asking/state-store.js';
export type { AppOptions } from './server/app-options.js';
export type { LimitOptions } from './engine/engine-options.js';
export {
  arrangeContract,
  type Contract,
  type ContractFacts,
  type ContractPrompt,
  type ContractResource,
  type ContractTemplate,
  type ContractTool,
} from './server/contract.js';
export type { Explanation } from './server/explain.js';
export type { AppCacheOptions } from './engine/methods/cache-hints.js';
export { type ChangeBus, MemoryChangeBus, type ServerChange } from './engine/subscriptions/changes.js';
export type { ClientProfile } from './engine/methods/client-profiles.js';
export type { SchemaShape } from './schema/json-schema/shape-schema.js';
export type { AppEvents } from './engine/subscriptions/subscriptions.js';
export type { LiveCollection, LiveCompletions } from './server/live-collection.js';
export { defineModule, type Module, type ModuleOptions, type ModuleParts } from './server/module.js';
export { PRINCIPAL } from './server/built-ins.js';

// Decorators, and their function twins
export {
  Complete,
  type OutputOf,
  Prompt,
  type PromptOptions,
  Resource,
  type ResourceOptions,
  Tool,
  type ToolDecorator,
  type ToolOptions,
  type ToolReturn,
} from './decorators/decorators.js';
export {
  Arg,
  type ArgOptions,
  createParameter,
  Describe,
  Header,
  Param,
  Principal,
} from './decorators/parameters.js';
export { IntersectionType, OmitType, PartialType, PickType } from './schema/dto/mapped-types.js';
export {
  MapErrors,
  Optional,
  Service,
  type ServiceOptions,
  UseGuards,
  UseMiddleware,
} from './decorators/service.js';
export { compose, createMetadata, Metadata, type MetadataDecorator } from './decorators/custom.js';
export {
  type ErrorMapper,
  type Guard,
  type GuardLike,
  mapError,
  type Middleware,
  type MiddlewareLike,
  type Next,
} from './context/policies.js';
export {
  defineCompletion,
  definePrompt,
  defineResource,
  defineTool,
  type ArgumentsOf,
  type CompletionFunctionOptions,
  type FunctionDefinition,
  type PromptFunctionOptions,
  type ResourceFunctionOptions,
  type ToolFunctionOptions,
} from './decorators/define.js';
export type {
  CompletionDefinition,
  PromptDefinition,
  ResourceDefinition,
  SchemaLike,
  ToolDefinition,
  UnknownProperties,
} from './metadata/definitions.js';

export type { MaybePromise } from './protocol/maybe-promise.js';
export type { StandardSchema } from './protocol/standard-schema.js';

// What handlers, guards and middleware receive
export {
  type Access,
  type ContextLog,
  type DefinitionInfo,
  RequestContext,
  type RequestHeaders,
} from './context/context.js';
export { CompletionContext, PromptContext, ResourceContext, ToolContext } from './context/contexts.js';
export type { AskOptions, ClientView, ContextState, InputResponses, RoundOptions } from './context/call.js';
export type { RequestFacts } from './protocol/principal.js';

// What handlers ask
export {
  type AnswersTo,
  elicit,
  elicitUrl,
  inputRequired,
  InputRequired,
  isSuspension,
  type Question,
  type Questions,
  roots,
  sample,
  Suspension,
} from './context/questions.js';

// What handlers return
export {
  type Annotations,
  assistant,
  audio,
  type AudioContent,
  blobContents,
  type ContentBlock,
  embedded,
  type EmbeddedResource,
  type Icon,
  image,
  type ImageContent,
  link,
  type PromptMessage,
  type ResourceContents,
  type ResourceLink,
  text,
  type TextContent,
  textContents,
  user,
} from './protocol/content.js';
export type {
  CacheableMethod,
  CacheHint,
  CacheOptions,
  CacheScope,
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  ReadResourceResult,
} from './protocol/results.js';

// Errors
export {
  AnswerError,
  type AnswerFailure,
  DEFINITION_CODES,
  type DefinitionCode,
  DefinitionError,
  ERROR_CODES,
  invalidParams,
  missingExtension,
  NoRoomError,
  type Problem,
  ProtocolError,
  type RequiredPage,
  ToolError,
  UrlElicitationRequiredError,
} from './errors/errors.js';

// Extensions of the protocol that come along
export { startTask, Task, type TaskOptions } from './extensions/tasks/task-options.js';
export type { TasksOptions } from './extensions/tasks/tasks.js';
export type {
  StoredTask,
  TaskError,
  TaskInputRequest,
  TaskState,
  TaskStatus,
  TaskStore,
} from './extensions/tasks/task-store.js';
export { MemoryTaskStore, type MemoryTaskStoreOptions } from './extensions/tasks/memory-task-store.js';
export { clientShowsUi } from './extensions/apps/apps.js';
export {
  defineUiResource,
  type ToolUiOptions,
  Ui,
  type UiCsp,
  type UiOptions,
  type UiPermissions,
  UiResource,
  type UiResourceFunctionOptions,
  type UiResourceOptions,
} from './extensions/apps/ui.js';

// Writing an extension of the protocol
export type { AppExtension } from './extensions/app-extension.js';
export type {
  DefinitionFacts,
  DefinitionHooks,
  Entry,
  FindResource,
  PromptEntry,
  ResourceEntry,
  TemplateEntry,
  ToolEntry,
} from './registry/entry.js';
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
export type { Background } from './engine/asking/carry.js';
export { Quota } from './transport/quota.js';
export type { Registry } from './registry/registry.js';

// The container
export { inject, type InjectOptions } from './container/inject.js';
export { Inject, Token } from './container/typedi-registry.js';
export {
  type AliasProvider,
  type ClassProvider,
  type Container,
  type FactoryOptions,
  type FactoryProvider,
  provide,
  provideFactory,
  type Provider,
  type PublicOf,
  type ResolutionScope,
  type ServiceId,
  type ValueProvider,
} from './container/container.js';
export type { ServiceOf, ServiceToken } from './protocol/constructor.js';
export type { Scope } from './metadata/metadata.js';

// The protocol
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
  CreateMessageParams,
  CreateMessageResult,
  ElicitResult,
  ElicitUrlResult,
  Root,
  SamplingContent,
  SamplingMessage,
} from './protocol/client-requests.js';
export type { JsonSchema } from './protocol/json.js';
export type { Logger, LogLevel } from './protocol/logging.js';
export { consoleLogger } from './server/host.js';
export type { RunningRuntime, Runtime } from './transport/transport.js';
