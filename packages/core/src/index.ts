// The exports for authors of a server. Other entry points: content, protocol, backend, extension, manifest, transport.

// The app
export { createApp } from './server/create-app.js';
export { App } from './server/app.js';
export type { ListenAddress, RunOptions, RuntimeOptionTypes } from './server/runtime-choice.js';
export type { AuditLink, AuditOptions, AuditRecord, AuditSink, AuditStore } from './server/audit.js';
export type { AppOptions, LogOptions, StateOptions } from './server/app-options.js';
export type { LimitOptions } from './engine/engine-options.js';
export type { StateKey } from './engine/asking/request-state-codec.js';
export type { AppCacheOptions } from './engine/methods/cache-hints.js';
export type { CacheOptions } from './protocol/results.js';
export type { AppEvents } from './engine/subscriptions/subscriptions.js';
export type {
  CallEvent,
  CallInfo,
  CallObservation,
  CallOutcome,
  ClientRequestInfo,
  ClientRequestObservation,
  Observer,
  SessionEvent,
  TaskAbortedBy,
  TaskAbortEvent,
  TaskRunInfo,
} from './engine/observers.js';
export type { RefusedBy } from './context/call.js';
export type { Gauge, GaugeReading } from './protocol/gauge.js';
export type { StoreEvent } from './backend/backend.js';
export type { RefusalEvent, TaskEvent } from './transport/transport.js';
export type { Trace } from './context/trace.js';
export type { LiveCollection, LiveCompletions } from './server/live-collection.js';
export {
  defineModule,
  type Module,
  type ModuleLimits,
  type ModuleOptions,
  type ModuleParts,
} from './server/module.js';
export { consoleLogger } from './server/platform.js';
export type { Logger, LogLevel } from './protocol/logging.js';

// Decorators
export {
  Complete,
  type HandlerDecorator,
  type OutputOf,
  Prompt,
  type PromptOptions,
  Resource,
  type ResourceDecorator,
  type ResourceOptions,
  Tool,
  type ToolDecorator,
  type ToolOptions,
  type ToolReturn,
} from './decorators/decorators.js';
export type { StandardContext, StandardMethodDecorator } from './metadata/standard-decorators.js';
export {
  Arg,
  type ArgOptions,
  createParamDecorator,
  Ctx,
  Describe,
  McpHeader,
  Param,
  Principal,
} from './decorators/parameters.js';
export { IntersectionType, OmitType, PartialType, PickType } from './schema/dto/mapped-types.js';
export {
  Limit,
  MapErrors,
  Optional,
  RequireScopes,
  Service,
  type ServiceOptions,
  UseGuards,
  UseMiddleware,
} from './decorators/service.js';
export {
  applyDecorators,
  createMetadataDecorator,
  Metadata,
  type MetadataDecorator,
} from './decorators/custom.js';

// The same without decorators
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
  ListedResource,
  ListRequest,
  ListResources,
  ResourcePage,
} from './decorators/resource-lists.js';
export type { ValuesFor, VariablesOf } from './decorators/uri-variables.js';
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

// Guards, middleware and the mapping of errors
export {
  type CallLimit,
  type ErrorMapper,
  type Guard,
  type GuardLike,
  type LimitKey,
  type LimitLike,
  mapError,
  type Middleware,
  type MiddlewareLike,
  type NextFunction,
  type RateLimit,
  type ScopeRequirement,
  type UncountedCalls,
} from './context/policies.js';

// The parameters of handlers, guards and middleware
export {
  type ContextLog,
  type DefinitionInfo,
  type GuardContext,
  RequestContext,
} from './context/context.js';
export { CompletionContext, PromptContext, ResourceContext, ToolContext } from './context/contexts.js';
export type {
  AskOptions,
  ClientView,
  ContextState,
  InputResponses,
  RequestHeaders,
  RoundOptions,
} from './context/call.js';
export type { RequestInfo } from './protocol/principal.js';

// The questions of handlers to the client
export {
  ask,
  type InputQuestion,
  type InputQuestions,
  InputRequired,
  inputRequired,
  type InputResponsesTo,
  isSuspension,
  Suspension,
} from './context/questions.js';

// Errors
export {
  DEFINITION_CODES,
  type DefinitionCode,
  DefinitionError,
  InsufficientScopeError,
  type DefinitionProblem,
  ERROR_CODES,
  InputResponseError,
  type InputResponseFailure,
  invalidParams,
  ProtocolError,
  RateLimitError,
  type RequiredPage,
  ToolError,
  UrlElicitationRequiredError,
} from './errors/errors.js';

// The container
export { inject, type InjectOptions } from './container/inject.js';
export { Inject, InjectionToken } from './container/typedi-registry.js';
export {
  type AliasProvider,
  type ClassProvider,
  type FactoryOptions,
  type FactoryProvider,
  provide,
  provideFactory,
  type Provider,
  type PublicOf,
  type ServiceId,
  type ValueProvider,
} from './container/container.js';
export { LIMITER, PRINCIPAL } from './server/built-ins.js';
export type { ServiceOf, ServiceToken } from './protocol/constructor.js';
export type { ServiceScope } from './metadata/metadata.js';

// The included extensions of the protocol: tasks and apps
export { startTask, TaskSupport, type TaskSupportOptions } from './extensions/tasks/task-options.js';
export type { TasksOptions } from './extensions/tasks/tasks.js';
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
