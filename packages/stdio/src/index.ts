export type { StdioOptions } from './options.js';
export { stdio } from './runtime.js';
