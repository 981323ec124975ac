// The command, and its parts for programs and tests of your own.
export { runSigil } from './run.js';
export { EXIT_CODES, type ExitCode } from './failures.js';
export { standardStreams, type Terminal } from './terminal.js';

// Manifests
export { diffManifests } from './diff/diff-manifests.js';
export { CHANGE_LEVELS, type ManifestChange, type ChangeLevel } from './diff/diff-members.js';
export { manifestOfProgram } from './program/manifest.js';
export { explanationOfProgram } from './program/explanation.js';
export type { AskOptions } from './program/program.js';
export { readManifestFile } from './program/manifest.js';

// Checks
export { checkManifest, type CheckReport } from './check/check-manifest.js';
export type { ToolRules } from './check/check-tool.js';
export { CHECK_CODES, type CheckCode, type Finding } from './check/findings.js';
export type { ProfileName } from './check/check-tool.js';
export type { HostName } from './check/host-rules.js';
export { tokensOf } from './check/check-tool.js';

// Failures
export { ServerError, UsageError, type ReportedProblem } from './failures.js';
