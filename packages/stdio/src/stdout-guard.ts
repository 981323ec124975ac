import type { Writable } from 'node:stream';

/** Writes text to a stream, and calls back when the text is written or writing has failed. */
export type StreamWrite = (text: string, written: (error?: Error | null) => void) => boolean;

type AnyWrite = (...args: Parameters<Writable['write']>) => boolean;

/** Reserves a stream for its owner. */
export interface StdoutGuard {
  /** Writes to the guarded stream itself. */
  readonly write: StreamWrite;
  /** Allows everyone to write to the stream again. */
  release(): void;
}

/**
 * Diverts everything else that is written to `stdout`, through `console` or directly, to `stderr`, because one stray
 * line would break the protocol. It cannot divert writes to the file descriptor, such as those of a child process that
 * inherits it.
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
