import { runSigil } from './run.js';
import { standardStreams } from './terminal.js';

// What reads may have enough, as `head` has: the rest is for nothing.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});
process.exitCode = await runSigil(process.argv.slice(2), standardStreams());
