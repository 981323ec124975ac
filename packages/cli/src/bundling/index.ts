// A plugin of esbuild that makes one file of a program.
export { sigil, type SigilOptions } from './plugin.js';
export type { TargetName } from './targets.js';
