/**
 * All scopes: those of `OAUTH_SCOPES` and of every `@RequireScopes`. The user who starts the server over stdio has them
 * all. The authorization server on this machine grants them, the first one to clients that request none. Keep this file
 * plain JavaScript: `dev/identity.mjs` loads it without compiling it.
 */
export const SCOPES = ['mcp', 'account:read'];
