// An esbuild plugin that bundles a program into one file.
export { sigil, type SigilOptions } from './plugin.js';
export type { TargetName } from './targets.js';
