// The runtime
export { http } from './runtime.js';
// Mounting into something else
export type { AppMount, FetchHandler } from './fetch-handler.js';
export { fetchHandler, nodeHandler, type NodeHandler } from './mount.js';
export { endpointPath } from './check-options.js';
// What sessions keep for clients that come back
// Who is calling
export { scopeChallenge } from './authorization.js';
export { bearerToken, tokenAuthenticator } from './bearer-tokens.js';
export type {
  Authenticate,
  Authorization,
  AuthorizationHost,
  Authorizer,
  Decision,
  PublicDocument,
  Refusal,
  RequestHead,
} from './authorization.js';
// Options
export type { HttpOptions, HttpRuntimeOptions, SessionOptions } from './options.js';
