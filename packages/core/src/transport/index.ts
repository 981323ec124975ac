// What a transport needs, and nothing else: the contract, and the parts of JSON-RPC that framing touches.
export {
  type ActiveRequest,
  connectInMemory,
  type ConnectOptions,
  type Endpoint,
  type EndpointBackend,
  type InMemoryConnection,
  type Rejection,
  type Sink,
  type Connection,
  type RunningRuntime,
  type Runtime,
} from './transport.js';
export { afterMs, type Deadline, Deadlines, MAX_DELAY_MS, unref, within } from './deadlines.js';
export { OptionChecks, type OptionTable } from './option-checks.js';
export { announceLaterApp, type MakeLaterApp, type PlatformStandIn } from './later-apps.js';
export { LogThrottle } from './log-throttle.js';
export { decodeCursor, encodeCursor, pagesOf } from './pages.js';
export { PendingAnswers } from './pending-answers.js';
export { Quota } from './quota.js';
export { scopesIn, scopesToAnswer, withScopes } from './scoped-names.js';
export {
  claimOf,
  errorResponse,
  isRequestId,
  type JsonRpcMessage,
  type JsonRpcRequest,
  LATEST_LEGACY_VERSION,
  LATEST_VERSION,
  META,
  METHODS,
  NOTIFICATIONS,
  PROTOCOL_VERSIONS,
  readableId,
  type RequestId,
  REVISION_FEATURES,
  type RevisionFeatures,
} from '../protocol/protocol.js';
export type { LogMethod, Logger } from '../protocol/logging.js';
export {
  isScope,
  lacksScopes,
  type Principal,
  type RequestInfo,
  requirePrincipal,
} from '../protocol/principal.js';
export type { Implementation } from '../protocol/descriptors.js';
export { after, isPromise, type MaybePromise } from '../protocol/maybe-promise.js';
export { ERROR_CODES } from '../errors/errors.js';
export { type LeftOut, leftOut } from '../protocol/left-out.js';
export { canonicalJson, frozenCopy, isObject, parseJson, TooMuchJsonError } from '../protocol/json.js';
