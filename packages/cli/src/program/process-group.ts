import { spawnSync } from 'node:child_process';

/** Whether a child can have a process group of its own. On Windows `detached` opens a console window instead. */
export const HAS_GROUPS: boolean = process.platform !== 'win32';

/**
 * Signals a child that leads a process group, and all that it has started.
 *
 * @param pid the child, which was started with `detached: HAS_GROUPS`.
 * @param signal which one. On Windows all of them are ended at once instead.
 */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (!HAS_GROUPS) {
    spawnSync('taskkill', ['/pid', String(pid), '/t', '/f']);
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // No process of the group is left.
  }
}
