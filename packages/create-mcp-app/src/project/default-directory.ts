/** The folder that is created when none is named. */
export const DEFAULT_DIRECTORY = 'my-mcp-server';
