// The runtime
export { http } from './runtime.js';
// Mounting into servers of Node
export { nodeHandler, type NodeHandler } from './mount.js';
// Options
export type {
  CredentialHeader,
  EventsOptions,
  HttpOptions,
  HttpRuntimeOptions,
  MetricsHandler,
  MetricsOptions,
  SessionOptions,
} from './options.js';
export type { RouteHandler } from './routes.js';
