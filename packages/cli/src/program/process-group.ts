import { spawnSync } from 'node:child_process';

/** Whether a child can have its own process group. On Windows, `detached` opens a console window instead. */
export const HAS_GROUPS: boolean = process.platform !== 'win32';

/**
 * Sends a signal to a child that leads a process group, and to all processes that the child has started.
 *
 * @param pid the process id of the child, which was started with `detached: HAS_GROUPS`.
 * @param signal the signal to send. On Windows, these processes are killed instead.
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
