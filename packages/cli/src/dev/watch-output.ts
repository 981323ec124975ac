import { dirname, sep } from 'node:path';
import { watch } from 'chokidar';
import type { CompiledOutput } from './compiled-output.js';

/** A compiler writes many files at once: what it does not go on with for this many milliseconds is done. */
const QUIET_MS = 100;

/**
 * Watches what a compiler writes.
 *
 * @param changed called once the compiler is done.
 * @returns stops watching.
 */
export function watchOutput(output: CompiledOutput, changed: () => void): () => Promise<void> {
  const { folder } = output;
  // The folder may not be there yet, and may be deleted: what is around it stays.
  const around = dirname(folder);
  const ignored = (path: string): boolean =>
    path !== around && ((path !== folder && !path.startsWith(folder + sep)) || output.ignores(path));
  const state: { timer?: ReturnType<typeof setTimeout> } = {};
  const watcher = watch(around, { ignored, ignoreInitial: true });
  const note = (): void => {
    clearTimeout(state.timer);
    state.timer = setTimeout(changed, QUIET_MS);
  };
  // What was written before it watches, nobody tells.
  watcher.on('ready', note).on('all', note);
  return async () => {
    await watcher.close();
    clearTimeout(state.timer);
  };
}
