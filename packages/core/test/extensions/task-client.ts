import { type App, type AppOptions, defineTool, TaskSupport } from '../../src/index.js';
import type { RequestInfo } from '../../src/index.js';
import type {
  RunOutcome,
  StoredTask,
  SubmittedTask,
  TaskExecutor,
  TaskStore,
  TaskWorker,
} from '../../src/backend.js';
import { appOf, type Client, deferred, type Json, statelessClient } from '../harness.js';

export const TASKS = 'io.modelcontextprotocol/tasks';

/** A client of 2026-07-28 that knows tasks. */
export function taskClient(app: App, capabilities: Json = {}, requestInfo?: RequestInfo): Client {
  const declared = { ...capabilities, extensions: { [TASKS]: {} } };
  return statelessClient(app, declared, requestInfo ? { requestInfo } : {});
}

/** Calls a tool that becomes a task. @returns the id of the task. */
export async function beginTask(client: Client, name: string, args: Json = {}): Promise<string> {
  const created = await client.call(name, args);
  if (created['resultType'] !== 'task') throw new Error(`no task: ${JSON.stringify(created)}`);
  return created['taskId'] as string;
}

export function getTask(client: Client, taskId: string): Promise<Json> {
  return client.result('tasks/get', { taskId });
}

/** Looks at a task until it has one of some statuses. */
export async function taskWith(client: Client, taskId: string, ...statuses: string[]): Promise<Json> {
  // Not the clock of Date: a test may have set it.
  const deadline = performance.now() + 10_000;
  while (performance.now() < deadline) {
    const task = await getTask(client, taskId);
    if (statuses.includes(String(task['status']))) return task;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(
    `the task never was ${statuses.join(' or ')}: ${JSON.stringify(await getTask(client, taskId))}`,
  );
}

/** Looks at a task until it has ended. */
export function endOf(client: Client, taskId: string): Promise<Json> {
  return taskWith(client, taskId, 'completed', 'failed', 'cancelled');
}

/** An app, the way to end its task, and what the handler has seen. */
export interface WaitingApp {
  readonly app: App;
  readonly gate: ReturnType<typeof deferred<string>>;
  /** Kept, with its signal, once the handler has begun. */
  readonly begun: ReturnType<typeof deferred<AbortSignal>>;
  /** How often the handler was run. */
  readonly runs: () => number;
}

/** An app with one optional task that ends when it is told to. */
export async function waitingApp(options: Partial<AppOptions> = {}): Promise<WaitingApp> {
  const gate = deferred<string>();
  const begun = deferred<AbortSignal>();
  let runs = 0;
  const wait = defineTool({
    name: 'wait',
    metadata: TaskSupport.entry('optional'),
    handle: (_args, ctx) => {
      runs += 1;
      begun.resolve(ctx.signal);
      return gate.promise;
    },
  });
  return { app: await appOf({ definitions: [wait], ...options }), gate, begun, runs: () => runs };
}

/** Runs tasks when a test says so, as if processes came and went. */
export class ManualExecutor implements TaskExecutor {
  readonly submitted: { readonly taskId: string; readonly delayMs: number }[] = [];
  readonly workers: TaskWorker[] = [];

  constructor(readonly store: TaskStore) {}

  submit({ taskId }: SubmittedTask, delayMs: number): void {
    this.submitted.push({ taskId, delayMs });
  }

  start(worker: TaskWorker): void {
    this.workers.push(worker);
  }

  close(): void {}

  /** Has a process run the task that was submitted last. */
  async run(worker = 0): Promise<RunOutcome> {
    const found = this.workers[worker];
    if (!found) throw new Error('there is no worker');
    return found.run(this.submitted.at(-1)?.taskId ?? '');
  }

  /** The same, once the lease of the run before is over, or the delay of the task. */
  async runAgain(worker = 0): Promise<RunOutcome> {
    await this.store.replace(await nextOf(this.store, this.submitted.at(-1)?.taskId ?? ''), 0);
    return this.run(worker);
  }
}

/** The next version of a task, which is as the one before. */
export async function nextOf(store: TaskStore, taskId: string): Promise<StoredTask> {
  const stored = await store.get(taskId);
  if (!stored) throw new Error('there is no such task');
  return { ...stored, version: stored.version + 1 };
}
