// What the runtimes share on Node.
export { EXIT_CODES, exitAfter, handleSignals, type SignalHost } from './signals.js';
export { stderrLogger, streamLogger } from './stream-logger.js';
