import { type Host, lineProgress } from './host.js';
import { runCreateMcpApp } from './run.js';
import { clackPrompter } from './terminal/clack-prompter.js';
import { spinnerProgress } from './terminal/spinner-progress.js';

/**
 * The signals that end the command. It first removes what it has written, even if it gets several signals.
 */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Returns the environment of this process. */
function processHost(): Host {
  const stop = new AbortController();
  for (const signal of SIGNALS) process.on(signal, () => stop.abort());
  const out = (line: string): void => void process.stdout.write(`${line}\n`);
  const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  return {
    cwd: process.cwd(),
    env: process.env,
    signal: stop.signal,
    prompter: isTerminal
      ? clackPrompter({ input: process.stdin, output: process.stdout, signal: stop.signal })
      : undefined,
    progress: process.stdout.isTTY === true ? spinnerProgress(process.stdout) : lineProgress(out),
    out,
    err: (line) => void process.stderr.write(`${line}\n`),
  };
}

process.exitCode = await runCreateMcpApp(process.argv.slice(2), processHost());
