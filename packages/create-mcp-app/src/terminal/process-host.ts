import type { Host } from '../host.js';
import { clackPrompter } from './clack-prompter.js';
import { lineProgress } from './progress.js';
import { spinnerProgress } from './spinner-progress.js';

/** Signals that end the command; it cleans up first, however often they come. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The surroundings of this process. */
export function processHost(): Host {
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
