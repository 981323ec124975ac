import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** The processor cores for the servers. The members are absent if processes cannot be pinned to cores. */
export interface Cores {
  readonly server?: string;
  /** All allowed cores, for processes that must not inherit the pinning of this process. */
  readonly all?: string;
}

const statusFile = '/proc/self/status';

/**
 * Pins this process to one core, and returns another core for the servers. So the load that this process creates does
 * not slow down the servers. Without `taskset` or a second core, nothing is pinned.
 */
export function divideCores(): Cores {
  if (!existsSync(statusFile)) return {};
  const allowed = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync(statusFile, 'utf8'))?.[1];
  if (allowed === undefined) return {};
  const [load, server] = expand(allowed);
  if (load === undefined || server === undefined) return {};
  const pinned = spawnSync('taskset', ['-acp', load, String(process.pid)], { stdio: 'ignore' });
  return pinned.status === 0 ? { server, all: allowed } : {};
}

/** `0-2,5` → 0, 1, 2, 5. */
function expand(list: string): string[] {
  return list.split(',').flatMap((part) => {
    const [first, last] = part.split('-').map(Number);
    if (first === undefined) return [];
    return Array.from({ length: (last ?? first) - first + 1 }, (_, index) => String(first + index));
  });
}
