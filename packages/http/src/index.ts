// The runtime
export { http } from './runtime.js';
// Mounting into something else
export { fetchHandler, nodeHandler, type FetchHandler, type NodeHandler } from './mount.js';
// What sessions keep for clients that come back
export { MemoryEventStore, type MemoryEventStoreOptions } from './memory-event-store.js';
// Who is calling
export { bearerToken, tokenAuthenticator, type Authenticate, type RequestHead } from './authentication.js';
// Options
export type { HttpOptions, HttpRuntimeOptions, SessionOptions } from './options.js';
