import { runCreateMcpApp } from './run.js';
import { processHost } from './terminal/process-host.js';

process.exitCode = await runCreateMcpApp(process.argv.slice(2), processHost());
