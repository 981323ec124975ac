import type { QueuedTask, TaskQueue, TaskWorker, TaskWorkerOptions } from '../backend/tasks.js';
import { unref } from '../transport/deadlines.js';

/** A process that takes tasks. */
interface Worker {
  readonly run: (entry: QueuedTask) => Promise<void>;
  readonly options: TaskWorkerOptions;
  readonly running: Set<Promise<void>>;
}

/**
 * Hands tasks out within this process, in the order they came. Apps that share one run each other's tasks.
 *
 * @example
 * ```ts
 * const queue = new MemoryTaskQueue();
 * const app = await createApp({ name: 'shop', version: '1.0.0', tasks: { queue } });
 * ```
 */
export class MemoryTaskQueue implements TaskQueue {
  readonly #waiting = new Map<string, QueuedTask>();
  readonly #delayed = new Set<string>();
  readonly #running = new Set<string>();
  readonly #workers = new Set<Worker>();

  /** Tasks that wait for their turn. */
  get size(): number {
    return this.#waiting.size + this.#delayed.size;
  }

  add(entry: QueuedTask, delayMs = 0): void {
    const key = keyOf(entry);
    if (this.#waiting.has(key) || this.#delayed.has(key) || this.#running.has(key)) return;
    if (delayMs <= 0) return this.#ready(key, entry);
    this.#delayed.add(key);
    const timer = setTimeout(() => {
      this.#delayed.delete(key);
      this.#ready(key, entry);
    }, delayMs);
    // A task that waits is no reason to keep the process.
    unref(timer);
  }

  work(run: (entry: QueuedTask) => Promise<void>, options: TaskWorkerOptions): TaskWorker {
    const worker: Worker = { run, options, running: new Set() };
    this.#workers.add(worker);
    this.#handOut();
    return {
      close: async () => {
        this.#workers.delete(worker);
        await Promise.all(worker.running);
      },
    };
  }

  #ready(key: string, entry: QueuedTask): void {
    this.#waiting.set(key, entry);
    this.#handOut();
  }

  #handOut(): void {
    for (const [key, entry] of this.#waiting) {
      const worker = [...this.#workers].find(({ running, options }) => running.size < options.concurrency);
      if (!worker) return;
      this.#waiting.delete(key);
      this.#running.add(key);
      const run = worker.run(entry).finally(() => {
        worker.running.delete(run);
        this.#running.delete(key);
        this.#handOut();
      });
      worker.running.add(run);
    }
  }
}

function keyOf({ taskId, round }: QueuedTask): string {
  return `${taskId} ${round}`;
}
