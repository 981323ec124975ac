/** What the extension is negotiated by (ext-tasks, "Extension Identifier"). */
export const TASKS = 'io.modelcontextprotocol/tasks';
