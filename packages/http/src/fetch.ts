/*
 * What serves the web's requests and needs nothing of Node: for Workers and other edges.
 */

// Mounting
export {
  type AppMount,
  fetchHandler,
  type FetchHandler,
  type Hosted,
  type HostHandler,
  hostHandler,
  type HostOptions,
} from './fetch-handler.js';
export { endpointPath } from './check-options.js';
export { answerInTime, type TimeLimit } from './time-limit.js';
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
export type { HttpOptions, SessionOptions } from './options.js';
