import { Failure } from '../failures.js';

/** What a command that was interrupted ends with. */
export function interrupted(): Failure {
  return new Failure('INTERRUPTED', 'interrupted: nothing was left behind');
}

/** @throws Failure `INTERRUPTED` when the command is to end. */
export function throwIfInterrupted(signal: AbortSignal): void {
  if (signal.aborted) throw interrupted();
}
