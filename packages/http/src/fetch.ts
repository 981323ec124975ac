/*
 * What serves the web's requests and needs nothing of Node: for Workers and other edges.
 */

// Mounting
export {
  fetchHandler,
  type FetchHandler,
  type Hosted,
  type HostHandler,
  hostHandler,
  type HostOptions,
} from './fetch-handler.js';
export { endpointPath } from './check-options.js';
export { withSource } from './authentication.js';
// Who is calling
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
export type { HttpOptions, SessionOptions } from './options.js';
