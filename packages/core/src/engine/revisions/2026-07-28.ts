import { ERROR_CODES, ProtocolError } from '../../errors/errors.js';
import { StructuredResult } from '../../invoke/encode.js';
import { RawJson } from '../../protocol/json.js';
import { META, METHODS, repeated, REVISION_FEATURES } from '../../protocol/protocol.js';
import { omit, replaceCodes, type Revision } from './revision.js';

/** Replaces error codes that this revision no longer has (basic, "Error Codes"). */
const REPLACED: ReadonlyMap<number, number> = new Map([
  [ERROR_CODES.resourceNotFound, ERROR_CODES.invalidParams],
  [ERROR_CODES.urlElicitationRequired, ERROR_CODES.invalidRequest],
]);

/**
 * Revision 2026-07-28, with stateless requests. The older revisions are defined by their differences from this
 * revision.
 */
export const revision20260728: Revision = {
  ...REVISION_FEATURES['2026-07-28'],
  version: '2026-07-28',
  rounds: new Set([METHODS.callTool, METHODS.getPrompt, METHODS.readResource]),
  resumes: false,
  batches: false,
  form: (schema) => schema,
  sampling: (params) => params,
  requests: new Set([
    METHODS.discover,
    METHODS.listTools,
    METHODS.callTool,
    METHODS.listResources,
    METHODS.listTemplates,
    METHODS.readResource,
    METHODS.listPrompts,
    METHODS.getPrompt,
    METHODS.complete,
    METHODS.listen,
  ]),
  tool: (tool) => tool,
  resource: (resource) => resource,
  template: (template) => template,
  prompt: (prompt) => prompt,
  implementation: (info) => info,
  capabilities: (capabilities) => capabilities,
  content: (block) => block,
  callResult(result) {
    if (!(result instanceof StructuredResult)) return result;
    const { json } = result;
    const members = `"content":[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${json}`;
    return new RawJson(members, () => ({ ...result.toJSON() }));
  },
  readResult: (result) => omit(result, ['ttlMs', 'cacheScope']),
  progress: (params) => params,
  logThreshold: ({ request }) => request,
  resourceNotFound: (uri) =>
    new ProtocolError(ERROR_CODES.invalidParams, 'Resource not found', { uri: repeated(uri) }),
  error: (error) => replaceCodes(error, REPLACED),
  missingCapability: (message, requiredCapabilities) =>
    new ProtocolError(ERROR_CODES.missingClientCapability, message, { requiredCapabilities }),
  envelope({ resultType, serverInfo, cache, meta }) {
    const named = serverInfo === undefined ? meta : { ...meta, [META.serverInfo]: serverInfo };
    return {
      resultType,
      ...(cache ? { ttlMs: cache.ttlMs, cacheScope: cache.cacheScope } : {}),
      ...(named ? { _meta: named } : {}),
    };
  },
};
