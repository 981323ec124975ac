import type { Writable } from 'node:stream';

/** Keeps a stream for its owner. */
export interface StdoutGuard {
  /** Writes to the guarded stream itself. */
  readonly write: Writable['write'];
  /** Gives the stream back to everyone. */
  release(): void;
}

/**
 * Diverts whatever else is written to `stdout`, through `console` or directly, to `stderr`: one stray line would
 * break the protocol. Writes to the file descriptor, such as a child process's that inherits it, are out of reach.
 */
export function guardStdout(stdout: Writable, stderr: Writable): StdoutGuard {
  const wasOwn = Object.hasOwn(stdout, 'write');
  const original = stdout.write;
  const write = original.bind(stdout) as Writable['write'];
  const state = { active: true };
  const divert = ((...args: Parameters<Writable['write']>) =>
    state.active ? stderr.write(...args) : write(...args)) as Writable['write'];
  stdout.write = divert;
  return {
    write,
    release() {
      state.active = false;
      // Somebody may have wrapped our function meanwhile; then it stays, and lets everything through.
      if (stdout.write !== divert) return;
      if (wasOwn) stdout.write = original;
      else Reflect.deleteProperty(stdout, 'write');
    },
  };
}
