/**
 * Every scope that something needs: those of `OAUTH_SCOPES` and of every `@RequireScopes`. The user who starts the server over stdio has them all,
 * and the authorization server on this machine grants them, the first one to clients that ask for none: `dev/identity.mjs` loads this file
 * without compiling it, so keep it plain JavaScript.
 */
export const SCOPES = ['mcp', 'account:read'];
