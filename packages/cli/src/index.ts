// The command, and its parts for programs and tests of your own.
export { runSigil } from './run.js';
export { EXIT_CODES, type ExitCode } from './failures.js';
export { standardStreams, type Terminal } from './terminal.js';

// Contracts
export { diffContracts } from './diff/diff-contracts.js';
export { CHANGE_LEVELS, type Change, type ChangeLevel } from './diff/diff-members.js';
export { contractOf } from './program/contract.js';
export { explanationOf } from './program/explanation.js';
export type { AskOptions } from './program/program.js';
export { readContract } from './program/contract.js';

// Checks
export { checkContract, type CheckReport } from './check/check-contract.js';
export type { ToolRules } from './check/check-tool.js';
export { CHECK_CODES, type CheckCode, type Finding } from './check/findings.js';
export type { ProfileName } from './check/check-tool.js';
export type { HostName } from './check/host-rules.js';
export { tokensOf } from './check/check-tool.js';

// Failures
export { ServerError, UsageError, type ReportedProblem } from './failures.js';
