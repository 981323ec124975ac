// The exports for authors of a transport: the contract, and the parts of JSON-RPC that framing uses.
export {
  type ActiveRequest,
  connectInMemory,
  type ConnectOptions,
  type Endpoint,
  type EndpointBackend,
  type EndpointObserver,
  type InMemoryConnection,
  type PartCheck,
  type ReadinessReport,
  type RefusalEvent,
  type Rejection,
  type Sink,
  type Connection,
  type RunningRuntime,
  type Runtime,
  type ShownCall,
  type ShownCallEnd,
  type Track,
  type Tracked,
  type TransportName,
} from './transport.js';
export {
  errorResponse,
  isRequestId,
  type JsonRpcMessage,
  type JsonRpcRequest,
  LATEST_LEGACY_VERSION,
  LATEST_VERSION,
  META,
  METHODS,
  NOTIFICATIONS,
  type RequestId,
  REVISION_FEATURES,
  type RevisionFeatures,
} from '../protocol/protocol.js';
export type { LogMethod } from '../protocol/logging.js';
export type { LimitState } from '../backend/backend.js';
export { type Principal, requirePrincipal } from '../protocol/principal.js';
export { parseJson, TooMuchJsonError } from '../protocol/json.js';
export type { Gauge, GaugeReading } from '../protocol/gauge.js';
