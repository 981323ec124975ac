import type { Writable } from 'node:stream';

/** Writes text to a stream, and calls `written` when the text is written or writing has failed. */
export type StreamWrite = (text: string, written: (error?: Error | null) => void) => boolean;

type AnyWrite = (...args: Parameters<Writable['write']>) => boolean;

/** Reserves standard output for the messages of the transport. */
export interface StdoutGuard {
  /** Writes to the guarded stream. Only the transport is allowed to call this function. */
  readonly write: StreamWrite;
  /** Restores the stream, so that all code can write to it again. */
  release(): void;
}

/**
 * Reserves `stdout` for the returned `write`. All other output to `stdout`, such as that of `console`, goes to
 * `stderr`, because it would break the protocol. Output that goes directly to the file descriptor cannot be redirected,
 * for example the output of a child process that inherits the descriptor.
 */
export function guardStdout(stdout: Writable, stderr: Writable): StdoutGuard {
  const wasOwn = Object.hasOwn(stdout, 'write');
  const original = Reflect.get(stdout, 'write');
  const write: AnyWrite = original.bind(stdout);
  const state = { active: true };
  const divert: AnyWrite = (...args) => (state.active ? stderr.write(...args) : write(...args));
  stdout.write = divert as Writable['write'];
  return {
    write: (text, written) => write(text, 'utf8', written),
    release() {
      state.active = false;
      // If other code has wrapped this function, the function stays and passes everything on.
      if (Reflect.get(stdout, 'write') !== divert) return;
      if (wasOwn) stdout.write = original;
      else Reflect.deleteProperty(stdout, 'write');
    },
  };
}
