// The command, for use in your own programs
export { runSigil } from './run.js';
export { standardStreams, type Terminal } from './terminal.js';

// Manifests
export { diffManifests } from './diff/diff-manifests.js';
export type { ManifestChange } from './diff/diff-members.js';
export { manifestOfProgram, readManifestFile } from './program/manifest.js';
export { explanationOfProgram } from './program/explanation.js';

// Checks
export { checkManifest, type CheckReport } from './check/check-manifest.js';
export type { Finding } from './check/findings.js';
export type { HostName } from './check/host-rules.js';

// Failures
export { ServerError } from './failures.js';
