// What the runtimes share on Node.
export { EXIT_CODES, handleSignals, type SignalHost } from './signals.js';
export { stderrLogger, streamLogger } from './stream-logger.js';
