import { runSigil } from './run.js';
import { standardStreams } from './terminal.js';

process.exitCode = await runSigil(process.argv.slice(2), standardStreams());
