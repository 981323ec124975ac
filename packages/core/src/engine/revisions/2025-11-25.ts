import { ERROR_CODES } from '../../errors/codes.js';
import { ProtocolError } from '../../errors/protocol-error.js';
import { isObject, type JsonSchema } from '../../protocol/json.js';
import { METHODS } from '../../protocol/methods.js';
import { StructuredResult } from '../../invoke/structured-result.js';
import { revision20260728 } from './2026-07-28.js';
import type { Revision } from './revision.js';

/** Revision 2025-11-25: sessions, and structured content that must be an object. */
export const revision20251125: Revision = {
  ...revision20260728,
  version: '2025-11-25',
  stateless: false,
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
  capabilities: (capabilities) => capabilities,
  callResult(result) {
    if (result.structuredContent === undefined || isObject(result.structuredContent)) {
      return revision20260728.callResult(result);
    }
    const wrapped = { result: result.structuredContent };
    if (!(result instanceof StructuredResult))
      return JSON.stringify({ ...result, structuredContent: wrapped });
    // The text stays the bare value: it is what the model reads.
    return JSON.stringify({ content: result.content, structuredContent: wrapped });
  },
  logThreshold: ({ session }) => session ?? 'debug',
  resourceNotFound: (uri) => new ProtocolError(ERROR_CODES.resourceNotFound, 'Resource not found', { uri }),
  missingCapability: (message) => new ProtocolError(ERROR_CODES.invalidRequest, message),
  seal: () => '',
};

function describesObject(schema: JsonSchema): boolean {
  return schema['type'] === 'object';
}

/** References inside the wrapped schema point at the root, so what they point at moves there. */
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
