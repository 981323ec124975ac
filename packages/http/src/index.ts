// The runtime
export { http } from './runtime.js';
// Mounting into something else
export { fetchHandler, nodeHandler, type FetchHandler, type NodeHandler } from './mount.js';
export type { HttpOptions, HttpRuntimeOptions, SessionOptions } from './options.js';
