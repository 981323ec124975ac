import type { ExtensionHost } from '../../engine/extension.js';
import type { StoredTask, TaskStore } from './task-store.js';
import type { Transition } from './transitions.js';

/** How often a change is tried when others change the same task at the same time. */
const MAX_TRIES = 100;

/** Changes stored tasks so that no change of another process is lost, and tells of every change. */
export class TaskRepository {
  constructor(
    private readonly store: TaskStore,
    private readonly host: Pick<ExtensionHost, 'publish'>,
  ) {}

  /** Keeps a new task. */
  async create(stored: StoredTask): Promise<void> {
    await this.store.create(stored);
  }

  async get(taskId: string): Promise<StoredTask | undefined> {
    return this.store.get(taskId);
  }

  /**
   * Changes a task.
   *
   * @returns the task as it stands now; `undefined` when there is none.
   */
  async change(taskId: string, transition: Transition): Promise<StoredTask | undefined> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const stored = await this.store.get(taskId);
      const next = stored && transition(stored);
      if (!next) return stored;
      if (await this.store.replace(next)) {
        this.host.publish({ kind: 'task', taskId });
        return next;
      }
    }
    throw new Error(`The task ${taskId} changes faster than it can be written`);
  }
}
