import type { ExtensionCall, ExtensionHost } from '../../engine/extension.js';
import { ERROR_CODES } from '../../errors/codes.js';
import { ProtocolError } from '../../errors/protocol-error.js';
import type { TaskKeeper } from './task-keeper.js';
import type { TaskPolicy } from './task-options.js';
import { TaskRun } from './task-run.js';
import { begun, cancelled, failed } from './transitions.js';

/** How long handlers have to end when the server stops, in milliseconds. */
const CLOSE_GRACE_MS = 1000;
/** Timers take no longer delay. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** The tasks at work in this process. */
export class TaskRuns {
  readonly #runs = new Map<string, TaskRun>();
  #reserved = 0;

  constructor(
    private readonly keeper: TaskKeeper,
    private readonly host: ExtensionHost,
    private readonly maxRunning: number,
  ) {
    host.onChange((change) => {
      if (change.kind === 'task') void this.#heard(change.taskId);
    });
  }

  /**
   * Makes a task of a call: keeps it, answers with it, and lets the handler go on.
   *
   * @returns whether it did; not when the request was cancelled in the meantime.
   * @throws ProtocolError (-32603) when there is no room for another task.
   */
  async start(
    call: ExtensionCall,
    tool: string,
    { ttlMs, pollIntervalMs }: TaskPolicy,
    statusMessage?: string,
  ): Promise<boolean> {
    if (this.#runs.size + this.#reserved >= this.maxRunning) throw full(this.maxRunning);
    const principal = call.principal?.id ?? null;
    const stored = begun({ tool, principal, ttlMs, pollIntervalMs, statusMessage });
    const { taskId } = stored.task;
    this.#reserved += 1;
    try {
      await this.keeper.create(stored);
    } finally {
      this.#reserved -= 1;
    }
    const { keeper, host } = this;
    const timer = expiryTimer(ttlMs, () => run.stop('The task has expired'));
    const ended = (): void => {
      clearTimeout(timer);
      this.#runs.delete(taskId);
    };
    const run = new TaskRun({ taskId, call, keeper, logger: host.logger, ended });
    this.#runs.set(taskId, run);
    if (call.detach({ ...stored.task, resultType: 'task' }, run)) return true;
    ended();
    await this.keeper.change(taskId, cancelled());
    return false;
  }

  /** Stops every handler, and waits a little for them to end. */
  async close(): Promise<void> {
    const runs = [...this.#runs.values()];
    if (runs.length === 0) return;
    const reason = 'The server stopped before the task was done';
    await Promise.all(
      runs.map((run) =>
        this.keeper.change(run.taskId, failed({ code: ERROR_CODES.internalError, message: reason })),
      ),
    );
    for (const run of runs) run.stop(reason);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const grace = new Promise<void>((resolve) => (timer = setTimeout(resolve, CLOSE_GRACE_MS)));
    await Promise.race([Promise.all(runs.map(({ finished }) => finished)), grace]);
    clearTimeout(timer);
  }

  async #heard(taskId: string): Promise<void> {
    const run = this.#runs.get(taskId);
    if (!run) return;
    try {
      run.heard(await this.keeper.get(taskId));
    } catch (error) {
      this.host.logger.error({ err: error, taskId }, 'a task could not be read');
    }
  }
}

function expiryTimer(ttlMs: number | null, expire: () => void): ReturnType<typeof setTimeout> | undefined {
  if (ttlMs === null || ttlMs > MAX_DELAY_MS) return undefined;
  const timer = setTimeout(expire, ttlMs);
  // A task at work is no reason to keep the process.
  (timer as { unref?: () => void }).unref?.();
  return timer;
}

function full(maxRunning: number): ProtocolError {
  return new ProtocolError(ERROR_CODES.internalError, `More than ${maxRunning} tasks are at work`);
}
