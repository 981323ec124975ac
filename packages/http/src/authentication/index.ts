// Authentication of callers, for the options `authenticate` and `authorization`. It does not need Node.
export { bearerToken, tokenAuthenticator } from './bearer-tokens.js';
export { scopeChallenge } from './authorization.js';
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
