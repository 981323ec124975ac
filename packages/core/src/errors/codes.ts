/** Numeric codes that cross the wire: JSON-RPC 2.0 and the MCP specification. */
export const ERROR_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** The server did not finish a request in time. */
  requestTimeout: -32001,
  /** Revisions up to 2025-11-25; 2026-07-28 answers invalidParams. */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedProtocolVersion: -32022,
  /** Revision 2025-11-25 only. */
  urlElicitationRequired: -32042,
} as const;

/** String codes of definition errors: the mistakes an author can make, and what each means. */
export const DEFINITION_CODES = {
  SIGIL_INVALID_DEFINITIONS: 'one or more definitions are wrong; `problems` lists each',
  SIGIL_MISSING_METADATA:
    'the build emitted no decorator metadata for a method or constructor with parameters',
  SIGIL_ERASED_TYPE: 'the type of a parameter did not survive compilation',
  SIGIL_INVALID_PARAMETER: 'a handler parameter is not a DTO, an argument, or a context',
  SIGIL_MIXED_PARAMETERS: 'a handler takes both a DTO and single arguments, or two DTOs',
  SIGIL_DUPLICATE_ARGUMENT: 'two parameters of a handler have the same argument name',
  SIGIL_DUPLICATE_NAME: 'two definitions have the same name or URI',
  SIGIL_INVALID_NAME: 'a name breaks the rules of the specification',
  SIGIL_INVALID_URI: 'a resource URI or URI template does not parse',
  SIGIL_UNKNOWN_VARIABLE: 'a parameter names a variable that the URI template does not have',
  SIGIL_UNBOUND_VARIABLE: 'a URI template has a variable that no parameter receives',
  SIGIL_UNKNOWN_COMPLETION: 'a completion names a prompt, resource or argument that does not exist',
  SIGIL_UNKNOWN_UI_RESOURCE: 'a tool names a UI resource that no definition serves as one',
  SIGIL_INVALID_SKILL: 'a folder of skills holds something that cannot be served',
  SIGIL_INVALID_SCHEMA: 'a schema cannot be generated or does not compile',
  SIGIL_UNSAFE_PATTERN: 'a regular expression could be made to run for hours',
  SIGIL_NO_DEFINITIONS: 'a listed service has no decorated method',
  SIGIL_NOT_A_SERVICE: 'something that is not a class was listed as a service',
  SIGIL_UNRESOLVABLE: 'the container cannot resolve a class or token',
  SIGIL_CAPTIVE_SCOPE: 'a service of a longer scope depends on one of a shorter scope',
  SIGIL_DEPENDENCY_CYCLE: 'services depend on each other in a circle',
  SIGIL_DUPLICATE_PROVIDER: 'two providers say how to make one service',
  SIGIL_UNAWAITED_HOOK: 'a service that is not a singleton has onInit or onReady',
  SIGIL_DISCOVERY_FAILED: 'a file in the discovery folder could not be imported',
  SIGIL_INVALID_OPTIONS: 'an option of createApp, of a runtime or of a decorator is out of range',
  SIGIL_INVALID_POLICY: 'something that is neither a guard nor middleware was given as one',
  SIGIL_NO_RUNTIME: 'the package of the chosen runtime is not installed',
} as const;

/** A string code of a definition error. */
export type DefinitionCode = keyof typeof DEFINITION_CODES;
