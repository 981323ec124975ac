import type { ExtensionCall, ExtensionHost } from '../../engine/extension.js';
import { ERROR_CODES } from '../../errors/codes.js';
import { NoRoomError } from '../../errors/protocol-error.js';
import type { Quota } from '../../transport/quota.js';
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
  readonly #connections = new WeakMap<object, string>();

  constructor(
    private readonly keeper: TaskKeeper,
    private readonly host: ExtensionHost,
    private readonly places: Quota,
  ) {
    host.onChange((change) => {
      if (change.kind === 'task') void this.#heard(change.taskId);
    });
  }

  /**
   * Makes a task of a call: keeps it, answers with it, and lets the handler go on.
   *
   * @returns a function to be called when the handler has ended, which gives its place back; `undefined` when the request was cancelled
   *   in the meantime, and nothing runs.
   * @throws NoRoomError when there is no room for another task.
   */
  async start(
    call: ExtensionCall,
    tool: string,
    { ttlMs, pollIntervalMs }: TaskPolicy,
    statusMessage?: string,
  ): Promise<(() => void) | undefined> {
    const { quotaKey } = call;
    if (!this.places.take(quotaKey)) throw full(this.places);
    const principal = call.principal?.id ?? null;
    const owner = this.#ownerOf(quotaKey);
    const stored = begun({ tool, principal, owner, ttlMs, pollIntervalMs, statusMessage });
    const { taskId } = stored.task;
    const release = (): void => this.places.give(quotaKey);
    try {
      await this.keeper.create(stored);
    } catch (error) {
      release();
      throw error;
    }
    const { keeper, host } = this;
    const timer = expiryTimer(ttlMs, () => run.stop('The task has expired'));
    const ended = (): void => {
      clearTimeout(timer);
      this.#runs.delete(taskId);
    };
    const run = new TaskRun({ taskId, call, keeper, logger: host.logger, ended });
    this.#runs.set(taskId, run);
    if (call.detach({ ...stored.task, resultType: 'task' }, run)) return release;
    ended();
    release();
    await this.keeper.change(taskId, cancelled());
    return undefined;
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

  /** Whom a task counts for, as text: what is stored is JSON. */
  #ownerOf(quotaKey: ExtensionCall['quotaKey']): string | null {
    if (typeof quotaKey !== 'object') return quotaKey ?? null;
    const known = this.#connections.get(quotaKey) ?? `connection ${crypto.randomUUID()}`;
    this.#connections.set(quotaKey, known);
    return known;
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

function full({ total, perClient }: Quota): NoRoomError {
  return new NoRoomError(`More than ${total} tasks are at work, or ${perClient} of one client`);
}
