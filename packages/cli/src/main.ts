import { EXIT_CODES } from './failures.js';
import { standardStreams } from './terminal.js';

const MISSING: ReadonlySet<unknown> = new Set(['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND']);
const terminal = standardStreams();
const output: { isBroken?: boolean; failure?: number } = {};
/** Ends the command when its output cannot be written, for example when `head` has read enough. */
function endWithoutOutput(stream: NodeJS.WriteStream, { code, message }: NodeJS.ErrnoException): void {
  if (output.isBroken) return;
  output.isBroken = true;
  if (code !== 'EPIPE') {
    output.failure = EXIT_CODES.found;
    if (stream === process.stdout) terminal.err(`sigil: the output cannot be written: ${message}`);
  }
  process.emit('SIGTERM', 'SIGTERM');
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    // If the command listens too, it first ends the programs that it has started. Otherwise they end when this process
    // exits.
    if (process.listenerCount(signal) === 1)
      process.exit(output.isBroken ? output.failure : EXIT_CODES.interrupted);
  });
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => endWithoutOutput(stream, error));
try {
  const { runSigil } = await import('./run.js');
  const code = await runSigil(process.argv.slice(2), terminal);
  process.exitCode = output.failure ?? code;
} catch (error) {
  // The project installs the dependencies of `@sigil/core`, and one may be missing.
  if (!(error instanceof Error && 'code' in error && MISSING.has(error.code))) throw error;
  const [what] = error.message.split('\n');
  terminal.err(`sigil: ${what}. Install the dependencies of sigil: npm install @sigil/core typedi`);
  // Exit at once: otherwise Node 20 reports the missing package again, as an unhandled rejection.
  process.exit(EXIT_CODES.found);
}
