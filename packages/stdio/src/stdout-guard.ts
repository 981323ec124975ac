import type { Writable } from 'node:stream';

/** Writes text to a stream, and calls `written` when the text is written or writing has failed. */
export type StreamWrite = (text: string, written: (error?: Error | null) => void) => boolean;

type AnyWrite = (...args: Parameters<Writable['write']>) => boolean;

/** Reserves standard output for the messages of the transport. */
export interface StdoutGuard {
  /** Writes to the guarded stream, which only the transport must do. */
  readonly write: StreamWrite;
  /** Restores the stream, so that all code can write to it again. */
  release(): void;
}

/**
 * Redirects all output to `stdout` to `stderr`, except output through the returned `write`, because any other line
 * would break the protocol. Output through `console` is redirected too. Writes to the file descriptor itself, such as
 * those of a child process that inherits it, cannot be redirected.
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
