import { EXIT_CODES } from './failures.js';
import { standardStreams } from './terminal.js';

// What reads may have enough, as `head` has: the rest is for nothing.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});
const MISSING: ReadonlySet<unknown> = new Set(['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND']);
const terminal = standardStreams();
try {
  const { runSigil } = await import('./run.js');
  process.exitCode = await runSigil(process.argv.slice(2), terminal);
} catch (error) {
  // What `@sigil/core` needs is installed by the project, and may be missing.
  if (!(error instanceof Error && 'code' in error && MISSING.has(error.code))) throw error;
  const [what] = error.message.split('\n');
  terminal.err(`sigil: ${what}. What it needs is installed by: npm install @sigil/core typedi`);
  // At once: Node 20 reports what is missing a second time, as an unhandled rejection.
  process.exit(EXIT_CODES.found);
}
