// The command, and its parts for programs and tests of your own.
export { runSigil } from './run.js';
export { EXIT_CODES, type ExitCode } from './exit-codes.js';
export { standardStreams, type Terminal } from './terminal.js';

// Contracts
export { diffContracts } from './diff/diff-contracts.js';
export { CHANGE_LEVELS, type Change, type ChangeLevel } from './diff/change.js';
export { contractOf } from './program/contract-of.js';
export { explanationOf } from './program/explanation-of.js';
export type { AskOptions } from './program/ask-program.js';
export { readContract } from './contract-format.js';

// Checks
export { checkContract, type CheckReport } from './check/check-contract.js';
export type { ToolRules } from './check/check-tool.js';
export { CHECK_CODES, type CheckCode, type Finding } from './check/codes.js';
export type { ProfileName } from './check/profiles.js';
export { tokensOf } from './check/tokens.js';

// Failures
export { ServerError, UsageError, type ReportedProblem } from './failures.js';
