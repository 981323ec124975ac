import type { Runtime } from '@sigil/core/transport';
import { stderrLogger } from '@sigil/node';
import { Connection } from './connection.js';
import { readSettings, type StdioOptions } from './options.js';

/**
 * Serves one client over standard streams, one JSON-RPC message a line (MCP, transports, stdio).
 *
 * It ends by itself at the end of its input, when the client no longer reads, or on SIGTERM or SIGINT: requests in flight have
 * `drainMs` to finish and are aborted then, the app closes if this was its last runtime, and the process exits, whatever timers still
 * run. With streams of your own only a signal ends the process. A line that is too long, not UTF-8 or not JSON is answered with an
 * error and does not end it. Log lines go to standard error.
 *
 * @throws RangeError when an option is out of range.
 */
export function stdio(options: StdioOptions = {}): Runtime {
  const settings = readSettings(options);
  return {
    name: 'stdio',
    logger: stderrLogger(),
    ownsProcess: settings.handleSignals && settings.input === process.stdin,
    start: (endpoint) => new Promise((resolve) => resolve(new Connection(endpoint, settings))),
  };
}
