import type { SubmittedTask, TaskExecutor, TaskWorker } from '../../backend/task-executor.js';
import type { ExtensionHost } from '../../engine/extension.js';
import { MAX_DELAY_MS, unref } from '../../transport/deadlines.js';

/** If a claim takes longer than this time, in milliseconds, the store counts as overloaded. */
const SLOW_CLAIM_MS = 1_000;
/** How long to wait after a failed claim, in milliseconds: at first, and at most. */
const [FIRST_BACKOFF_MS, MAX_BACKOFF_MS] = [250, 5_000];
/** Minimum time between messages about new tasks to other processes, in milliseconds. */
const TELL_EVERY_MS = 100;

/**
 * The default executor. It claims tasks, which means that it reserves them in the task store for this process, and runs
 * them. A process claims as many tasks as it can start immediately, and claims again when:
 *
 * - a task was submitted in this process, or another process reports that the store has tasks to claim;
 * - a run has ended, and the last claim left tasks in the store;
 * - a third of the lease time (`leaseMs`) has passed since the last regular claim. Regular claims find the tasks of
 *   dead processes.
 *
 * The process adapts its maximum of concurrent runs. The maximum is halved after a slow claim, after a failed claim,
 * and after a run that the process had no capacity for. Each fast claim raises the maximum by one, up to the
 * `concurrency` of the process.
 */
export class StoreExecutor implements TaskExecutor {
  readonly #host: Pick<ExtensionHost, 'publish' | 'onChange'>;
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  #worker: TaskWorker | undefined;
  #polling: ReturnType<typeof setInterval> | undefined;
  /** How many runs this process may currently have at once. */
  #allowed = 0;
  #isClaiming = false;
  #isWoken = false;
  #mayBeMore = false;
  #backoffMs = 0;
  #isBackingOff = false;
  #isTelling = false;
  #isClosed = false;

  constructor(host: Pick<ExtensionHost, 'publish' | 'onChange'>) {
    this.#host = host;
    host.onChange((change) => {
      if (change.kind === 'claimable' || change.kind === 'all') this.#wake();
    });
  }

  start(worker: TaskWorker): void {
    this.#worker = worker;
    this.#allowed = worker.concurrency;
    this.#polling = setInterval(() => this.#wake(), worker.leaseMs / 3);
    unref(this.#polling);
    this.#wake();
  }

  submit(_task: SubmittedTask, delayMs: number): void {
    // A stopping process returns its tasks to the others at once.
    if (this.#isClosed) return this.#host.publish({ kind: 'claimable' });
    if (delayMs > 0) return this.#after(delayMs, () => this.#wake());
    if (this.#worker && this.#room() > 0) this.#wake();
    else this.#tell();
  }

  runEnded(end: 'ended' | 'refused'): void {
    if (end === 'refused') this.#claimLess();
    if (this.#mayBeMore) this.#wake();
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#polling);
    for (const timer of this.#timers) clearTimeout(timer);
  }

  /** How many more runs this process may begin now. */
  #room(): number {
    const { free = 0, concurrency = 0 } = this.#worker ?? {};
    return free - (concurrency - this.#allowed);
  }

  #wake(): void {
    this.#isWoken = true;
    if (!this.#isClaiming && !this.#isBackingOff) void this.#claim();
  }

  async #claim(): Promise<void> {
    this.#isClaiming = true;
    while (this.#isWoken && this.#worker && !this.#isClosed && !this.#isBackingOff) {
      this.#isWoken = false;
      // After a failed claim, one claim finds out whether the store answers again, however many tasks run.
      const least = this.#backoffMs > 0 && this.#worker.free > 0 ? 1 : 0;
      const limit = Math.max(least, this.#room());
      if (limit <= 0) {
        this.#mayBeMore = true;
        break;
      }
      const began = performance.now();
      try {
        const { begun, mayBeMore } = await this.#worker.claim(limit);
        this.#backoffMs = 0;
        this.#mayBeMore = mayBeMore;
        if (performance.now() - began > SLOW_CLAIM_MS) this.#claimLess();
        else this.#allowed = Math.min(this.#worker.concurrency, this.#allowed + 1);
        if (begun > 0 && mayBeMore) this.#isWoken = true;
      } catch {
        // The worker has logged why.
        this.#claimLess();
        this.#backoff();
      }
    }
    this.#isClaiming = false;
  }

  #claimLess(): void {
    this.#allowed = Math.max(1, Math.floor(this.#allowed / 2));
  }

  #backoff(): void {
    this.#backoffMs = Math.min(Math.max(FIRST_BACKOFF_MS, this.#backoffMs * 2), MAX_BACKOFF_MS);
    this.#isBackingOff = true;
    this.#after(this.#backoffMs * (0.5 + Math.random() / 2), () => {
      this.#isBackingOff = false;
      this.#wake();
    });
  }

  /** Notifies the other processes that there are tasks to claim. */
  #tell(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    this.#after(TELL_EVERY_MS, () => {
      this.#isTelling = false;
      this.#host.publish({ kind: 'claimable' });
    });
  }

  #after(ms: number, run: () => void): void {
    if (ms > MAX_DELAY_MS || this.#isClosed) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, ms);
    // A waiting task must not keep the process alive.
    unref(timer);
    this.#timers.add(timer);
  }
}
