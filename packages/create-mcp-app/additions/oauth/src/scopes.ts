/**
 * All scopes of `OAUTH_SCOPES` and `@RequireScopes`. The user who starts the server over stdio has all of them. The
 * authorization server on this machine grants them; a client that requests no scope gets the first one. This file must be
 * valid JavaScript, because `dev/identity.mjs` loads it without compiling it.
 */
export const SCOPES = ['mcp', 'account:read'];
