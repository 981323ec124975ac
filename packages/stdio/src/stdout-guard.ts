import type { Writable } from 'node:stream';

/** Writes text to a stream, of whichever object the method is, and calls back when it is written or has failed. */
export type StreamWrite = (text: string, written: (error?: Error | null) => void) => boolean;

type AnyWrite = (...args: Parameters<Writable['write']>) => boolean;

/** Keeps a stream for its owner. */
export interface StdoutGuard {
  /** Writes to the guarded stream itself. */
  readonly write: StreamWrite;
  /** Gives the stream back to everyone. */
  release(): void;
}

/**
 * Diverts whatever else is written to `stdout`, through `console` or directly, to `stderr`: one stray line would
 * break the protocol. Writes to the file descriptor, such as a child process's that inherits it, are out of reach.
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
      // If other code has wrapped this function, it stays and passes everything on.
      if (Reflect.get(stdout, 'write') !== divert) return;
      if (wasOwn) stdout.write = original;
      else Reflect.deleteProperty(stdout, 'write');
    },
  };
}
