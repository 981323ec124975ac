import { type JsonObject, objectOf } from '../json.js';
import { inOneLine } from '../terminal.js';

/** The time that rates cover, in milliseconds. */
const WINDOW_MS = 60_000;
/** Maximum number of calls that are kept for rates. Beyond it, rates cover a shorter time. */
const MOST_RECENT = 20_000;
/** Maximum number of kept calls and refusals. */
const MOST_SHOWN = 200;

/** A call that has ended. Its texts are safe to print. */
export interface EndedCall {
  readonly time: Date;
  /** The name of the tool or prompt, or else the MCP method of the call. `rates()` groups calls by this name. */
  readonly about: string;
  readonly outcome: string;
  /** The error, if any. */
  readonly reason: string;
  readonly ms: number;
  readonly caller: string;
}

/** A request that was refused before it became a call. Its texts are safe to print. */
export interface RefusedRequest {
  readonly time: Date;
  readonly by: string;
  readonly status: number;
  readonly reason: string;
  readonly address: string;
}

/** A call that has not ended. Its texts are safe to print. */
export interface RunningCall {
  readonly since: Date;
  readonly about: string;
  readonly caller: string;
}

/** A question from a handler to its client. Its texts are safe to print. */
export interface AskedQuestion {
  readonly time: Date;
  readonly about: string;
  /** The kind of request to the client, such as `elicitation`. */
  readonly asks: string;
  /** The status: `open`, `answered` or `failed`. */
  readonly status: string;
  readonly caller: string;
}

/** The current status of a task. Its texts are safe to print. */
export interface WatchedTask {
  readonly id: string;
  /** When the task reached its current status. */
  readonly time: Date;
  readonly tool: string;
  /** The status, such as `working`. */
  readonly status: string;
  /** Milliseconds from the creation of the task to `time`. */
  readonly ms: number;
}

/** An event from the server, in a form that is safe to print. */
export type ShownEvent =
  | { readonly kind: 'call'; readonly call: EndedCall }
  | { readonly kind: 'refused'; readonly refusal: RefusedRequest }
  | { readonly kind: 'question'; readonly question: AskedQuestion }
  | { readonly kind: 'task'; readonly task: WatchedTask };

/** The state of a server process: its open sessions, and its running calls and tasks. */
export interface ServerState {
  readonly pid: number;
  readonly startedAt: Date;
  readonly isWorker: boolean;
  readonly sessions: number;
  readonly calls: number;
  readonly tasks: number;
  readonly running: readonly RunningCall[];
}

/** The calls of one tool or method within the last 60 seconds. */
export interface Rate {
  readonly about: string;
  readonly perSecond: number;
  readonly errors: number;
  readonly refused: number;
  /** The median duration of calls that were not refused, in milliseconds; absent if there are no such calls. */
  readonly p50: number | undefined;
  readonly p95: number | undefined;
}

/** Collects the events of a watched server. */
export class Activity {
  /** Ended calls, newest first. */
  readonly calls: EndedCall[] = [];
  /** Refused requests, newest first. */
  readonly refusals: RefusedRequest[] = [];
  /** The open questions by id, oldest first. */
  readonly questions: Map<string, AskedQuestion> = new Map();
  /** The tasks by id. The task whose status changed last is at the end. */
  readonly tasks: Map<string, WatchedTask> = new Map();
  state: ServerState | undefined;
  readonly #recent: { readonly at: number; readonly call: EndedCall }[] = [];
  #since: number;

  /** @param now the current time in milliseconds, from a monotonic clock. */
  constructor(now: number) {
    this.#since = now;
  }

  /**
   * Adds an event.
   *
   * @returns the event in a form that is safe to print; `undefined` if events of this kind are not printed.
   */
  add(event: string, data: JsonObject, now: number): ShownEvent | undefined {
    switch (event) {
      case 'state':
        this.state = stateOf(data);
        return undefined;
      case 'call': {
        const call = callOf(data);
        this.#recent.push({ at: now, call });
        return { kind: 'call', call: keep(this.calls, call) };
      }
      case 'refused':
        return { kind: 'refused', refusal: keep(this.refusals, refusalOf(data)) };
      case 'question': {
        const question = questionOf(data);
        keepLast(this.questions, textOf(data['id']), question.status === 'open' ? question : undefined);
        return { kind: 'question', question };
      }
      case 'task': {
        const task = taskOf(data);
        keepLast(this.tasks, task.id, task);
        return { kind: 'task', task };
      }
      default:
        return undefined;
    }
  }

  /** Forgets the state, the open questions and the tasks of a server that has ended. */
  forgetOpen(): void {
    this.state = undefined;
    this.questions.clear();
    this.tasks.clear();
  }

  /**
   * Returns statistics about the calls of the last 60 seconds. `each` has one entry for each tool, prompt or method.
   * The entry with the most calls comes first. `all` is about all calls together.
   */
  rates(now: number): { readonly all: Rate; readonly each: readonly Rate[] } {
    const recent = this.#recent;
    const kept = recent.findIndex(({ at }) => at > now - WINDOW_MS);
    recent.splice(0, Math.max(kept < 0 ? recent.length : kept, recent.length - MOST_RECENT));
    const from =
      recent.length < MOST_RECENT ? Math.max(this.#since, now - WINDOW_MS) : (recent[0]?.at ?? now);
    const seconds = Math.max(1_000, now - from) / 1_000;
    const byName = new Map<string, EndedCall[]>();
    for (const { call } of recent) {
      const those = byName.get(call.about);
      if (those) those.push(call);
      else byName.set(call.about, [call]);
    }
    const each = [...byName].map(([about, calls]) => rateOf(about, calls, seconds));
    each.sort((one, other) => other.perSecond - one.perSecond || one.about.localeCompare(other.about));
    const calls = recent.map(({ call }) => call);
    return { all: rateOf('all', calls, seconds), each };
  }
}

function rateOf(about: string, calls: readonly EndedCall[], seconds: number): Rate {
  const served = calls.filter(({ outcome }) => outcome !== 'refused');
  const times = served.map(({ ms }) => ms).sort((one, other) => one - other);
  const at = (share: number): number | undefined => times[Math.ceil(times.length * share) - 1];
  return {
    about,
    perSecond: calls.length / seconds,
    errors: calls.filter(({ outcome }) => isFailure(outcome)).length,
    refused: calls.length - served.length,
    p50: at(0.5),
    p95: at(0.95),
  };
}

/** Whether a call with this outcome has failed on the server's side. */
export function isFailure(outcome: string): boolean {
  return ['isError', 'error', 'timeout'].includes(outcome);
}

function keep<T>(list: T[], one: T): T {
  list.unshift(one);
  if (list.length > MOST_SHOWN) list.pop();
  return one;
}

/** Moves an entry to the end of a map. `undefined` removes the entry. */
function keepLast<T>(all: Map<string, T>, key: string, one: T | undefined): void {
  all.delete(key);
  if (one !== undefined) all.set(key, one);
  const [oldest] = all.keys();
  if (all.size > MOST_SHOWN && oldest !== undefined) all.delete(oldest);
}

function stateOf(data: JsonObject): ServerState {
  const { running } = data;
  return {
    pid: numberOf(data['pid']),
    startedAt: dateOf(data['startedAt']),
    isWorker: data['isWorker'] === true,
    sessions: numberOf(data['sessions']),
    calls: numberOf(data['calls']),
    tasks: numberOf(data['tasks']),
    running: (Array.isArray(running) ? running : []).map(objectOf).map((call) => ({
      since: dateOf(call['since']),
      about: aboutOf(call),
      caller: textOf(call['principal']),
    })),
  };
}

function callOf(data: JsonObject): EndedCall {
  const { refusedBy, code } = data;
  const reason = [refusedBy, code].filter((part) => part !== undefined).map(textOf);
  return {
    time: dateOf(data['time']),
    about: aboutOf(data),
    outcome: textOf(data['outcome']),
    reason: reason.join(' '),
    ms: numberOf(data['ms']),
    caller: callerOf(data),
  };
}

function questionOf(data: JsonObject): AskedQuestion {
  const [asks = ''] = textOf(data['asks']).split('/');
  return {
    time: dateOf(data['time']),
    about: aboutOf(data),
    asks,
    status: textOf(data['status']),
    caller: callerOf(data),
  };
}

function taskOf(data: JsonObject): WatchedTask {
  return {
    id: textOf(data['id']),
    time: dateOf(data['time']),
    tool: textOf(data['tool']),
    status: textOf(data['status']),
    ms: numberOf(data['ms']),
  };
}

function callerOf(data: JsonObject): string {
  return [data['principal'], data['client'], data['address']].map(textOf).filter(Boolean).join(' · ');
}

function refusalOf(data: JsonObject): RefusedRequest {
  return {
    time: dateOf(data['time']),
    by: textOf(data['by']),
    status: numberOf(data['status']),
    reason: textOf(data['reason']),
    address: textOf(data['address']),
  };
}

/**
 * Returns the subject of a call: the name of a tool or prompt, otherwise the method, because there may be too
 * many other names.
 */
function aboutOf({ method, name, taskId }: JsonObject): string {
  const hasName = method === 'tools/call' || method === 'prompts/get';
  const about = textOf(hasName && name !== undefined ? name : method);
  return taskId === undefined ? about : `${about} (task)`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? inOneLine(String(value)) : '';
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function dateOf(value: unknown): Date {
  return new Date(typeof value === 'string' ? value : NaN);
}
