import 'reflect-metadata';

// The app
export { createApp } from './server/create-app.js';
export { App } from './server/app.js';
export type { StateKey } from './engine/asking/round-keeper.js';
export type { StateStore } from './engine/asking/state-store.js';
export { MemoryStateStore, type StateLimits } from './engine/asking/state-store.js';
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
export type { ChangeBus, ServerChange } from './engine/subscriptions/changes.js';
export { MemoryChangeBus } from './engine/subscriptions/changes.js';
export type { ClientProfile } from './engine/methods/client-profiles.js';
export type { SchemaShape } from './schema/json-schema/shape-schema.js';
export type { AppEvents } from './engine/subscriptions/subscriptions.js';
export type { LiveCollection, LiveCompletions } from './server/live-collection.js';
export { defineModule, type Module, type ModuleOptions, type ModuleParts } from './server/module.js';
export { PRINCIPAL } from './server/built-ins.js';

// Decorators, and their function twins
export {
  Tool,
  type OutputOf,
  type ToolDecorator,
  type ToolOptions,
  type ToolReturn,
} from './decorators/tool.js';
export { Resource, type ResourceOptions } from './decorators/resource.js';
export { Prompt, type PromptOptions } from './decorators/prompt.js';
export { Complete } from './decorators/complete.js';
export { Arg, Param, type ArgOptions } from './decorators/arg.js';
export { Describe } from './decorators/describe.js';
export { IntersectionType, OmitType, PartialType, PickType } from './schema/dto/mapped-types.js';
export { Header } from './decorators/header.js';
export { Optional, Service, type ServiceOptions } from './decorators/service.js';
export { MapErrors, UseGuards, UseMiddleware } from './decorators/use.js';
export { createMetadata, Metadata, type MetadataDecorator } from './decorators/metadata.js';
export { compose } from './decorators/compose.js';
export { createParameter, Principal } from './decorators/parameter.js';
export { mapError, type ErrorMapper } from './context/error-mapper.js';
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
  RequestContext,
  type Access,
  type DefinitionInfo,
  type RequestHeaders,
} from './context/request-context.js';
export { CompletionContext, PromptContext, ResourceContext, ToolContext } from './context/contexts.js';
export type { ContextLog } from './context/context-log.js';
export type { AskOptions, ClientView, ContextState, InputResponses, RoundOptions } from './context/call.js';
export type { Guard, GuardLike, Middleware, MiddlewareLike, Next } from './context/policies.js';
export type { RequestFacts } from './protocol/principal.js';

// What handlers ask
export {
  elicit,
  elicitUrl,
  roots,
  sample,
  type AnswersTo,
  type Question,
  type Questions,
} from './context/questions.js';
export { inputRequired, InputRequired } from './context/input-required.js';
export { isSuspension, Suspension } from './context/suspension.js';

// What handlers return
export {
  assistant,
  audio,
  blobContents,
  embedded,
  image,
  link,
  text,
  textContents,
  user,
} from './protocol/content.js';
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
  TextContent,
} from './protocol/content.js';
export type {
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  ReadResourceResult,
} from './protocol/results.js';

// Errors
export { DefinitionError, type Problem } from './errors/definition-error.js';
export { ProtocolError } from './errors/protocol-error.js';
export { AnswerError, type AnswerFailure } from './errors/answer-error.js';
export { ToolError } from './errors/tool-error.js';
export { UrlElicitationRequiredError, type RequiredPage } from './errors/url-elicitation-required.js';
export { DEFINITION_CODES, ERROR_CODES, type DefinitionCode } from './errors/codes.js';

// Extensions of the protocol that come along
export { startTask, Task, type TaskOptions } from './extensions/tasks/task-options.js';
export type { TasksOptions } from './extensions/tasks/tasks.js';
export type { StoredTask, TaskInputRequest, TaskStore } from './extensions/tasks/task-store.js';
export type { TaskError, TaskState, TaskStatus } from './extensions/tasks/task.js';
export { MemoryTaskStore, type MemoryTaskStoreOptions } from './extensions/tasks/memory-task-store.js';
export { clientShowsUi } from './extensions/apps/apps.js';
export {
  Ui,
  type ToolUiOptions,
  type UiCsp,
  type UiOptions,
  type UiPermissions,
} from './extensions/apps/ui.js';
export {
  defineUiResource,
  UiResource,
  type UiResourceFunctionOptions,
  type UiResourceOptions,
} from './extensions/apps/ui-resource.js';

// Writing an extension of the protocol
export type { AppExtension } from './extensions/app-extension.js';
export type { DefinitionFacts, DefinitionHooks, FindResource } from './registry/definition-hooks.js';
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
export { readInputResponses } from './engine/asking/round-keeper.js';
export { invalidParams, missingExtension, NoRoomError } from './errors/protocol-error.js';
export { Quota } from './transport/quota.js';
export type { Registry } from './registry/registry.js';
export type { Entry, PromptEntry, ResourceEntry, TemplateEntry, ToolEntry } from './registry/entry.js';

// The container
export { inject, type InjectOptions } from './container/inject.js';
export { Inject, Token } from './container/typedi-registry.js';
export type { Container, ResolutionScope } from './container/contract.js';
export {
  provide,
  provideFactory,
  type AliasProvider,
  type ClassProvider,
  type FactoryOptions,
  type FactoryProvider,
  type Provider,
  type PublicOf,
  type ServiceId,
  type ValueProvider,
} from './container/provider.js';
export type { ServiceOf, ServiceToken } from './protocol/constructor.js';
export type { Scope } from './metadata/service.js';

// The protocol
export type { CacheableMethod, CacheHint, CacheOptions, CacheScope } from './protocol/results.js';
export type {
  Implementation,
  Prompt as PromptDescriptor,
  PromptArgument,
  Resource as ResourceDescriptor,
  ResourceTemplate as ResourceTemplateDescriptor,
  Tool as ToolDescriptor,
  ToolAnnotations,
} from './protocol/descriptors.js';
export type { ClientCapabilities, ServerCapabilities } from './protocol/protocol.js';
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
export { PROTOCOL_VERSIONS, type ProtocolVersion } from './protocol/protocol.js';
export type { RunningRuntime, Runtime } from './transport/contract.js';
