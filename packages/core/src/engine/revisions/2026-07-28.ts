import { ERROR_CODES } from '../../errors/codes.js';
import { ProtocolError } from '../../errors/protocol-error.js';
import { META } from '../../protocol/meta.js';
import { METHODS } from '../../protocol/methods.js';
import { StructuredResult } from '../../invoke/structured-result.js';
import { omit } from './omit.js';
import { replaceCodes } from './replace-codes.js';
import type { Revision, SealParts } from './revision.js';

/** Codes that this revision has retired (basic, "Error Codes"). */
const REPLACED: ReadonlyMap<number, number> = new Map([
  [ERROR_CODES.resourceNotFound, ERROR_CODES.invalidParams],
  [ERROR_CODES.urlElicitationRequired, ERROR_CODES.invalidRequest],
]);

/** Revision 2026-07-28: stateless requests, and the shapes all older revisions are told apart from. */
export const revision20260728: Revision = {
  version: '2026-07-28',
  stateless: true,
  rounds: new Set([METHODS.callTool, METHODS.getPrompt, METHODS.readResource]),
  resumes: false,
  batches: false,
  elicitation: { form: true, url: true },
  form: (schema) => schema,
  sampling: (params) => params,
  samplingTools: true,
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
    if (!(result instanceof StructuredResult)) return JSON.stringify(omit(result, ['_meta']));
    const { json } = result;
    return `{"content":[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${json}}`;
  },
  readResult: (result) => JSON.stringify(omit(result, ['_meta', 'ttlMs', 'cacheScope'])),
  promptResult: (result) => JSON.stringify(omit(result, ['_meta'])),
  progress: (params) => params,
  logThreshold: ({ request }) => request,
  resourceNotFound: (uri) => new ProtocolError(ERROR_CODES.invalidParams, 'Resource not found', { uri }),
  error: (error) => replaceCodes(error, REPLACED),
  missingCapability: (message, requiredCapabilities) =>
    new ProtocolError(ERROR_CODES.missingClientCapability, message, { requiredCapabilities }),
  seal({ resultType, serverInfo, cache, meta }) {
    const hints = cache ? `,"ttlMs":${cache.ttlMs},"cacheScope":"${cache.cacheScope}"` : '';
    return `"resultType":"${resultType}"${hints}${sealMeta(serverInfo, meta)}`;
  },
};

function sealMeta(serverInfo: string | undefined, meta: SealParts['meta']): string {
  if (!meta) return serverInfo === undefined ? '' : `,"_meta":{"${META.serverInfo}":${serverInfo}}`;
  const stamped =
    serverInfo === undefined ? meta : { [META.serverInfo]: JSON.parse(serverInfo) as unknown, ...meta };
  return `,"_meta":${JSON.stringify(stamped)}`;
}
