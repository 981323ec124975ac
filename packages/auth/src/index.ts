// The option
export { oauth } from './oauth.js';
export type { DpopMode, OAuthOptions, ResourceDescription } from './options.js';
export type { IssuerOptions } from './issuer.js';
export type { ScopeOptions, TokenClaims } from './scopes.js';
// How tokens are checked
export { jwt, type JwtOptions } from './jwt.js';
export { introspection, type IntrospectionOptions } from './introspection.js';
export type { ClientCredentials } from './client-authentication.js';
export type { TokenCheck, TokenVerifier } from './tokens.js';
// Presets for well-known authorization servers
export {
  auth0,
  type Auth0Options,
  clerk,
  type ClerkOptions,
  cognito,
  type CognitoOptions,
  entra,
  type EntraOptions,
  google,
  type GoogleOptions,
  keycloak,
  type KeycloakOptions,
  okta,
  type OktaOptions,
  type Preset,
  workos,
  type WorkosOptions,
} from './presets.js';
// Tokens for other services
export { upstreamToken, type UpstreamOptions, type UpstreamTarget } from './upstream.js';
