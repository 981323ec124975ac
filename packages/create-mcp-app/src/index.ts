// The command, for programs and tests of your own.
export { runCreateMcpApp, type ExitCode } from './run.js';
export { FAILURES, type FailureCode } from './failures.js';
export { CREATE_FLAGS, ADD_FLAGS } from './flags.js';
export type { Flag } from './flags.js';
export type { Host } from './host.js';
export { lineProgress, silence, type Outcome, type Progress, type RunningStep } from './host.js';
export type { Option, Prompter } from './host.js';
