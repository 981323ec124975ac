import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import * as core from '../src/index.js';
import * as transport from '../src/transport/index.js';

// Every name below is a promise. A change here is a change for users.

/** The names of the types a module exports, read off its source: at run time there are none. */
function typesOf(file: string): string[] {
  const source = readFileSync(new URL(file, import.meta.url), 'utf8');
  const lists = [...source.matchAll(/export (type )?\{([^}]*)\} from/g)];
  const names = lists.flatMap(([, all = '', list = '']) =>
    list
      .split(',')
      .map((name) => all + name.trim())
      .filter((name) => /^type \w/.test(name)),
  );
  return names.map((name) => name.slice('type '.length).replace(/^.* as /, '')).sort();
}

test('the package exports these values', () => {
  expect(Object.keys(core).sort()).toEqual([
    'App',
    'Arg',
    'Complete',
    'CompletionContext',
    'DEFINITION_CODES',
    'DefinitionError',
    'Describe',
    'ERROR_CODES',
    'Header',
    'Inject',
    'MemoryChangeBus',
    'MemoryStateStore',
    'PROTOCOL_VERSIONS',
    'Param',
    'Prompt',
    'PromptContext',
    'ProtocolError',
    'RequestContext',
    'Resource',
    'ResourceContext',
    'Service',
    'Token',
    'Tool',
    'ToolContext',
    'ToolError',
    'UrlElicitationRequiredError',
    'UseGuards',
    'UseMiddleware',
    'assistant',
    'audio',
    'blobContents',
    'createApp',
    'definePrompt',
    'defineResource',
    'defineTool',
    'embedded',
    'image',
    'inject',
    'link',
    'text',
    'textContents',
    'user',
  ]);
});

test('the package exports these types', () => {
  expect(typesOf('../src/index.ts')).toEqual([
    'Access',
    'Annotations',
    'AppCacheOptions',
    'AppEvents',
    'AppOptions',
    'ArgOptions',
    'ArgumentsOf',
    'AskOptions',
    'AudioContent',
    'CacheHint',
    'CacheOptions',
    'CacheScope',
    'CacheableMethod',
    'CallToolResult',
    'ChangeBus',
    'ClientCapabilities',
    'ClientView',
    'CompleteResult',
    'Container',
    'ContentBlock',
    'ContextLog',
    'CreateMessageParams',
    'CreateMessageResult',
    'DefinitionCode',
    'ElicitResult',
    'ElicitUrlResult',
    'EmbeddedResource',
    'FunctionDefinition',
    'GetPromptResult',
    'Guard',
    'GuardLike',
    'Icon',
    'ImageContent',
    'Implementation',
    'JsonSchema',
    'LiveCollection',
    'LogLevel',
    'Logger',
    'Middleware',
    'MiddlewareLike',
    'Next',
    'Principal',
    'Problem',
    'PromptDefinition',
    'PromptDescriptor',
    'PromptFunctionOptions',
    'PromptMessage',
    'PromptOptions',
    'ProtocolVersion',
    'Provider',
    'ReadResourceResult',
    'RequestFacts',
    'RequiredPage',
    'ResolutionScope',
    'Resolve',
    'ResourceContents',
    'ResourceDefinition',
    'ResourceFunctionOptions',
    'ResourceLink',
    'ResourceOptions',
    'Root',
    'RunningRuntime',
    'Runtime',
    'SamplingContent',
    'SamplingMessage',
    'SchemaLike',
    'Scope',
    'ServerCapabilities',
    'ServerChange',
    'ServiceId',
    'ServiceOptions',
    'StateKey',
    'StateLimits',
    'StateStore',
    'TextContent',
    'ToolDefinition',
    'ToolDescriptor',
    'ToolFunctionOptions',
    'ToolOptions',
  ]);
});

test('its transport subpath exports these values', () => {
  expect(Object.keys(transport).sort()).toEqual([
    'ERROR_CODES',
    'LATEST_LEGACY_VERSION',
    'LATEST_VERSION',
    'META',
    'METHODS',
    'NOTIFICATIONS',
    'PROTOCOL_VERSIONS',
    'after',
    'connectInMemory',
    'errorResponse',
    'isPromise',
    'isRequestId',
    'readableId',
  ]);
});

test('its transport subpath exports these types', () => {
  expect(typesOf('../src/transport/index.ts')).toEqual([
    'ActiveRequest',
    'Endpoint',
    'EventStore',
    'Implementation',
    'InMemoryConnection',
    'JsonRpcMessage',
    'JsonRpcRequest',
    'LogMethod',
    'Logger',
    'MaybePromise',
    'MirroredArgument',
    'Outlet',
    'Peer',
    'Principal',
    'RequestFacts',
    'RequestId',
    'RunningRuntime',
    'Runtime',
    'StoredEvent',
    'StreamName',
  ]);
});
