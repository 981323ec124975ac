// The command, for programs of your own.
export { runCreateMcpApp } from './run.js';
export type { Host } from './host.js';
