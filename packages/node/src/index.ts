// Shared parts of the runtimes on Node.
export { EXIT_CODES, exitAfter, handleSignals, type SignalProcess } from './signals.js';
export { jsonLinesFile, type JsonLinesFile, type JsonLinesOptions } from './json-lines.js';
export { type LineOptions, stderrLogger, streamLogger } from './stream-logger.js';
