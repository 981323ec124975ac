// What a transport needs, and nothing else: the contract, and the parts of JSON-RPC that framing touches.
export { connectInMemory, type InMemoryConnection } from './in-memory.js';
export type {
  ActiveRequest,
  ConnectOptions,
  Endpoint,
  Outlet,
  Peer,
  RunningRuntime,
  Runtime,
} from './contract.js';
export { type Deadline, Deadlines } from './deadlines.js';
export { LogThrottle } from './log-throttle.js';
export { Quota } from './quota.js';
export type { EventStore, StoredEvent, StreamName } from './event-store.js';
export type { JsonRpcMessage, JsonRpcRequest, RequestId } from '../protocol/protocol.js';
export type { LogMethod, Logger } from '../protocol/logging.js';
export type { Principal, RequestFacts } from '../protocol/principal.js';
export type { Implementation } from '../protocol/descriptors.js';
export { errorResponse, isRequestId, readableId } from '../protocol/protocol.js';
export { after, isPromise, type MaybePromise } from '../protocol/maybe-promise.js';
export { ERROR_CODES } from '../errors/codes.js';
export {
  claimOf,
  LATEST_LEGACY_VERSION,
  LATEST_VERSION,
  META,
  METHODS,
  NOTIFICATIONS,
  PROTOCOL_VERSIONS,
  REVISION_FEATURES,
  type RevisionFeatures,
} from '../protocol/protocol.js';
export { canonicalJson, isObject, parseJson, TooMuchJsonError } from '../protocol/json.js';
