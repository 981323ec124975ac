import { ERROR_CODES, ProtocolError } from '../../errors/errors.js';
import { StructuredResult } from '../../invoke/encode.js';
import type { Tool } from '../../protocol/descriptors.js';
import type { JsonSchema } from '../../protocol/json.js';
import { METHODS, repeated, REVISION_FEATURES } from '../../protocol/protocol.js';
import type { CallToolResult } from '../../protocol/results.js';
import { revision20260728 } from './2026-07-28.js';
import { replaceCodes, type Revision } from './revision.js';

/** Replaces error codes that only later revisions have. */
const REPLACED: ReadonlyMap<number, number> = new Map([
  [ERROR_CODES.headerMismatch, ERROR_CODES.invalidRequest],
  [ERROR_CODES.missingClientCapability, ERROR_CODES.invalidRequest],
  [ERROR_CODES.unsupportedProtocolVersion, ERROR_CODES.invalidRequest],
]);

/** Revision 2025-11-25. It has sessions, and structured content must be an object. */
export const revision20251125: Revision = {
  ...revision20260728,
  ...REVISION_FEATURES['2025-11-25'],
  version: '2025-11-25',
  resumes: true,
  rounds: new Set(),
  requests: new Set([
    METHODS.initialize,
    METHODS.ping,
    METHODS.setLevel,
    METHODS.listTools,
    METHODS.callTool,
    METHODS.listResources,
    METHODS.listTemplates,
    METHODS.readResource,
    METHODS.subscribe,
    METHODS.unsubscribe,
    METHODS.listPrompts,
    METHODS.getPrompt,
    METHODS.complete,
  ]),
  tool: (tool) =>
    tool.outputSchema && !describesObject(tool.outputSchema)
      ? { ...tool, outputSchema: wrapSchema(tool.outputSchema) }
      : tool,
  callResult(result, tool) {
    const { structuredContent } = result;
    if (structuredContent === undefined || !needsWrapper(result, tool.descriptor))
      return revision20260728.callResult(result, tool);
    // The text remains the bare value, which the model reads.
    const { content, isError } = result;
    return { content, structuredContent: { result: structuredContent }, ...(isError ? { isError } : {}) };
  },
  logThreshold: ({ session }) => session ?? 'debug',
  resourceNotFound: (uri) =>
    new ProtocolError(ERROR_CODES.resourceNotFound, 'Resource not found', { uri: repeated(uri) }),
  error: (error) => replaceCodes(error, REPLACED),
  missingCapability: (message) => new ProtocolError(ERROR_CODES.invalidRequest, message),
  envelope: ({ meta }) => (meta ? { _meta: meta } : {}),
};

/**
 * Whether the structured content of a result must be wrapped in an object. The output schema decides, so that
 * result and schema agree; without a schema, the JSON type of the value decides.
 */
function needsWrapper(result: CallToolResult, { outputSchema }: Tool): boolean {
  if (outputSchema) return !describesObject(outputSchema);
  const json = result instanceof StructuredResult ? result.json : JSON.stringify(result.structuredContent);
  return !json.startsWith('{');
}

function describesObject(schema: JsonSchema): boolean {
  return schema['type'] === 'object';
}

/** Wraps a schema in an object schema. The `$defs` move to the root, because references point there. */
function wrapSchema(schema: JsonSchema): JsonSchema {
  const { $defs, $schema, ...result } = schema;
  return {
    ...($schema === undefined ? {} : { $schema }),
    type: 'object',
    properties: { result },
    required: ['result'],
    ...($defs === undefined ? {} : { $defs }),
  };
}
