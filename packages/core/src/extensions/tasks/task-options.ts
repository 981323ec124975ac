import type { RequestContext } from '../../context/context.js';
import { createMetadataDecorator, type MetadataDecorator } from '../../decorators/custom.js';
import { isObject } from '../../protocol/json.js';
import type { DefinitionProblem } from '../../errors/errors.js';
import type { DefinitionDetails } from '../../registry/entry.js';

/** The name of the tasks extension in capabilities (ext-tasks, "Extension Identifier"). */
export const TASKS = 'io.modelcontextprotocol/tasks';

/** How a tool may run in the background (extension `io.modelcontextprotocol/tasks`). */
export interface TaskSupportOptions {
  /**
   * Whether clients without the extension may call the tool and wait for its result (`optional`), or must not call it
   * (`required`).
   */
  readonly support: 'optional' | 'required';
  /**
   * When a call becomes a task: immediately (`call`), or when the handler calls `startTask()` (`handler`). With
   * `handler`, the handler can ask questions before the task begins.
   * @default 'call'
   */
  readonly start?: 'call' | 'handler';
  /**
   * How long a task is kept after its creation, in milliseconds; `null` for no limit.
   * @default the `ttlMs` of the app's option `tasks`
   */
  readonly ttlMs?: number | null;
  /**
   * Milliseconds that clients should wait between two polls.
   * @default the `pollIntervalMs` of the app's option `tasks`
   */
  readonly pollIntervalMs?: number;
  /**
   * Whether the tool runs again from its beginning if its process ended during the run. With `false`, the task fails,
   * and the client must start a new one. When the server stops, a run that must not be repeated still gets one second
   * to finish. The results of `ctx.once()` are kept in both cases.
   * @default true; for a tool with `destructive: true`, the default is true only after `ctx.once()` has recorded a
   *   result
   */
  readonly rerun?: boolean;
  /**
   * Maximum number of concurrent runs of the tool in one process.
   * @default the `concurrency` of the app's option `tasks`
   */
  readonly concurrency?: number;
  /**
   * The version of the handler's questions and side effects, including their order. Change the version when the
   * questions or side effects change. A task that began with another version then fails, instead of continuing with
   * answers to other questions. Changed parameters count as a new version.
   * @default ''
   */
  readonly version?: string;
}

/**
 * Lets a tool run as a task for clients with the extension `io.modelcontextprotocol/tasks`. These clients immediately
 * get a handle of the task, poll for the result, and answer the handler's questions. For other clients, a tool with
 * `optional` is an ordinary tool. A tool with `required` refuses the calls of other clients (-32021), and is hidden
 * from clients of revision 2025-11-25 or earlier.
 *
 * @example
 * ```ts
 * @Tool({ description: 'Writes a report' })
 * @TaskSupport('optional')
 * async writeReport(ctx: ToolContext) {
 *   return this.reports.write(ctx.signal);
 * }
 * ```
 */
export const TaskSupport: MetadataDecorator<TaskSupportOptions['support'] | TaskSupportOptions> =
  createMetadataDecorator(Symbol.for('sigil:task'));

/** Turns the current call into a task. Returns whether the call now runs as a task. */
export type StartTask = (statusMessage?: string) => Promise<boolean>;

const START = Symbol.for('sigil:start-task');

/**
 * Continues a call as a task, in a tool with `@TaskSupport({ support, start: 'handler' })`. The client gets the task's
 * handle now, and the current run of the handler ends here. The handler then runs again from its beginning, in the
 * background and perhaps in another process. Questions before `startTask()` belong to the call, and already have their
 * answers in the new run. Questions after `startTask()` belong to the task. Run side effects that come before
 * `startTask()` in `ctx.once()`, so that the new run does not repeat them.
 *
 * @param context the context of the tool.
 * @param statusMessage the current step of the task, for the user.
 * @returns whether the call now runs as a task; `false` if the client does not support tasks, or if the tool cannot run
 *   as a task.
 * @throws ProtocolError (-32603) when the server cannot store another task.
 * @throws InputResponseError when the call has already been answered. To avoid this, await `startTask()` before the
 *   handler returns.
 * @example
 * ```ts
 * @Tool({ description: 'Exports the catalogue' })
 * @TaskSupport({ support: 'optional', start: 'handler' })
 * async exportCatalogue(ctx: ToolContext) {
 *   const { content } = await ctx.elicit('Which format?', Format);
 *   await startTask(ctx, 'Writing the file');
 *   return this.catalogue.write(content?.format, ctx.signal);
 * }
 * ```
 */
export function startTask(context: RequestContext, statusMessage?: string): Promise<boolean> {
  const start = context.state[START] as StartTask | undefined;
  return start ? start(statusMessage) : Promise.resolve(false);
}

/** Stores the function that `startTask` calls to turn the call into a task. */
export function provideStart(state: RequestContext['state'], start: StartTask): void {
  state[START] = start;
}

/** The default lifetime of tasks, and the default interval between two polls. */
export interface TaskDefaults {
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
}

/** How a tool runs as a task. */
export type TaskPolicy = Required<Omit<TaskSupportOptions, 'rerun' | 'concurrency'>> &
  Pick<TaskSupportOptions, 'rerun' | 'concurrency'>;

/** Returns how a tool runs as a task; `undefined` if it never does. */
export function taskPolicy(
  definition: Pick<DefinitionDetails, 'metadata'>,
  defaults: TaskDefaults,
): TaskPolicy | undefined {
  const task = TaskSupport.of(definition);
  return task === undefined ? undefined : { start: 'call', version: '', ...defaults, ...longForm(task) };
}

/**
 * Returns the `support` of a tool: whether clients without the extension may call the tool. Returns `undefined` if
 * the tool never runs as a task.
 */
export function taskSupport(definition: DefinitionDetails): TaskSupportOptions['support'] | undefined {
  const task = TaskSupport.of(definition);
  return task === undefined ? undefined : longForm(task).support;
}

/**
 * Returns the maximum number of concurrent runs of a tool in one process; `undefined` if there is no limit.
 */
export function taskConcurrency(definition: DefinitionDetails): number | undefined {
  const task = TaskSupport.of(definition);
  return task === undefined ? undefined : longForm(task).concurrency;
}

const SUPPORT: readonly unknown[] = ['optional', 'required'];
const STARTS: readonly unknown[] = [undefined, 'call', 'handler'];

/** Returns the problems in a tool's task options. */
export function taskProblems(definition: DefinitionDetails): DefinitionProblem[] {
  if (!(TaskSupport.key in definition.metadata)) return [];
  const task: unknown = TaskSupport.of(definition);
  const { support, start, ttlMs, pollIntervalMs, rerun, concurrency, version, ...others } = longForm(task);
  const wrong = [
    ...(definition.kind === 'tool' ? [] : ['it is not on a tool']),
    ...Object.keys(others).map((option) => `there is no option ${option}`),
    ...(SUPPORT.includes(support) ? [] : ["support must be 'optional' or 'required'"]),
    ...(STARTS.includes(start) ? [] : ["start must be 'call' or 'handler'"]),
    ...(ttlMs === null || isPositiveInteger(ttlMs) ? [] : ['ttlMs must be a positive integer, or null']),
    ...(isPositiveInteger(pollIntervalMs) ? [] : ['pollIntervalMs must be a positive integer']),
    ...(isPositiveInteger(concurrency) ? [] : ['concurrency must be a positive integer']),
    ...(['undefined', 'boolean'].includes(typeof rerun) ? [] : ['rerun must be true or false']),
    ...(['undefined', 'string'].includes(typeof version) ? [] : ['version must be a string']),
  ];
  return wrong.map((what) => ({
    code: 'SIGIL_INVALID_OPTIONS',
    where: `${definition.where}, @TaskSupport`,
    what,
    fix: "write @TaskSupport('optional'), @TaskSupport('required'), or @TaskSupport({ support, start, ttlMs, pollIntervalMs, rerun, concurrency, version }) on a tool",
  }));
}

/** Returns the options of `@TaskSupport` as an object. Invalid values are refused later. */
function longForm(task: unknown): TaskSupportOptions {
  return (isObject(task) ? task : { support: task }) as unknown as TaskSupportOptions;
}

function isPositiveInteger(value: unknown): boolean {
  return value === undefined || (typeof value === 'number' && Number.isInteger(value) && value > 0);
}
