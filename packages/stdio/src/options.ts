import type { Readable, Writable } from 'node:stream';
import { MAX_DELAY_MS } from '@sigil/core/transport';

/** How `stdio()` is to behave. */
export interface StdioOptions {
  /** Where messages come from; `process.stdin` by default. */
  readonly input?: Readable;
  /** Where messages go; `process.stdout` by default. */
  readonly output?: Writable;
  /**
   * The most bytes of one message. A longer one is answered with -32600 and never held. More than over HTTP: the one client is the
   * program that started this one.
   *
   * @default 16 MiB
   */
  readonly maxLineBytes?: number;
  /**
   * The most bytes of notifications that wait for a client that does not read. Beyond it, progress and log messages are
   * dropped; any other notification ends the connection, for a client that misses one is wrong about the server. Answers and
   * questions are not counted: no request is read while the output is full.
   *
   * @default 16 MiB
   */
  readonly maxBufferedBytes?: number;
  /**
   * How long requests in flight may take after the end of the input or a signal before they are aborted, in milliseconds.
   * Clients kill a server that has not ended after 2 to 4 s; with the default it has ended within 1.5 s, disposal included.
   *
   * @default 750
   */
  readonly drainMs?: number;
  /** Whether SIGTERM (exit code 0) and SIGINT (130) end the server gently, and a second one at once; yes by default. */
  readonly handleSignals?: boolean;
  /**
   * Whether what other code writes to standard output, through `console` too, goes to standard error while the server
   * runs; yes by default. Without effect on an `output` of your own.
   */
  readonly guardStdout?: boolean;
}

/** Options with every default filled in. */
export type StdioSettings = Required<StdioOptions>;

/**
 * Fills in the defaults.
 *
 * @throws RangeError when a number is out of range.
 */
export function readSettings(options: StdioOptions): StdioSettings {
  const { maxLineBytes = 16 * 1024 * 1024, maxBufferedBytes = 16 * 1024 * 1024, drainMs = 750 } = options;
  for (const [name, bytes] of Object.entries({ maxLineBytes, maxBufferedBytes })) {
    if (!Number.isInteger(bytes) || bytes < 1)
      throw new RangeError(`stdio: ${name} must be a positive integer, not ${bytes}`);
  }
  if (!(drainMs >= 0 && drainMs <= MAX_DELAY_MS)) {
    throw new RangeError(`stdio: drainMs must be between 0 and ${MAX_DELAY_MS}, not ${drainMs}`);
  }
  return {
    input: options.input ?? process.stdin,
    output: options.output ?? process.stdout,
    maxLineBytes,
    maxBufferedBytes,
    drainMs,
    handleSignals: options.handleSignals ?? true,
    guardStdout: options.guardStdout ?? true,
  };
}
