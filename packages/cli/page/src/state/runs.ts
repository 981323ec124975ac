import { isObject, type JsonObject } from '../../../src/json.js';
import { answerWithout } from '../mcp/exchange.js';
import type { Answer, Outcome, Question } from '../mcp/messages.js';
import type { McpClient, RequestEvents, Revision } from '../mcp/messages.js';
import { parameterHeaders } from '../../../src/program/parameter-headers.js';
import { pause, type StatelessClient } from '../mcp/stateless-client.js';
import { type Entry, hasEnded, type Run, type Task } from './state.js';
import { appended, type Store } from './store.js';

const MOST_RUNS = 100;
const LEAST_POLL_MS = 200;
const RELOADED = 'The page was loaded again, which has cancelled the call: send it again.';
const RESTARTED = 'The server has restarted: call again.';
const LOST = 'The server no longer has this task: it has restarted, or the task has expired.';
/** The JSON-RPC error code for a task that the server does not know. */
const UNKNOWN_TASK = -32602;

/** Sends calls, follows their tasks, and shows questions to the developer. */
export class Runs {
  /** The run that a question belongs to, by the signal that cancels both. */
  readonly #bySignal = new WeakMap<AbortSignal, number>();
  /** Aborts when the server ends. */
  #serverEnd = new AbortController();

  constructor(
    private readonly store: Store,
    private readonly clientOf: (revision: Revision) => McpClient,
  ) {}

  /** Sends a request about a definition, in all given protocol revisions concurrently. */
  start(
    entry: Pick<Entry, 'kind' | 'key' | 'descriptor'>,
    method: string,
    params: JsonObject,
    revisions: readonly Revision[],
  ): void {
    const group = this.store.nextId();
    const { kind, key, descriptor } = entry;
    const { login } = this.store.state;
    for (const revision of revisions)
      void this.#run({
        id: this.store.nextId(),
        group,
        entry: { kind, key },
        method,
        params,
        revision,
        at: new Date(),
        logs: [],
        answers: [],
        ...(kind === 'tool' && revision === '2026-07-28'
          ? { headers: parameterHeaders(descriptor['inputSchema'], params['arguments']) }
          : {}),
        ...(login === undefined ? {} : { login }),
      });
  }

  /**
   * Shows the runs from before a reload of the page. Tasks and open questions continue. Other runs without an answer
   * count as cancelled.
   */
  resume(runs: readonly Run[]): void {
    for (const { at, ...run } of runs) {
      const isLost = !run.answer && !run.asked;
      const lost = isLost ? { answer: answerWithout({ kind: 'cancelled', reason: RELOADED }, 0) } : {};
      void this.#run({ ...run, ...lost, at: new Date(at) });
    }
  }

  async #run(begun: Omit<Run, 'cancel'>): Promise<void> {
    const ending = new AbortController();
    const run: Run = { ...begun, cancel: (reason) => ending.abort(reason) };
    const { id, method, params, revision, headers, asked } = run;
    this.#bySignal.set(ending.signal, id);
    this.store.update(({ runs }) => ({ runs: appended(runs, run, MOST_RUNS) }));
    const client = this.clientOf(revision);
    const events: RequestEvents = {
      signal: ending.signal,
      headers,
      asked,
      onAsked: (open) => this.#change(id, () => ({ asked: open })),
      onProgress: (progress) => this.#change(id, () => ({ progress })),
      onLog: (message) => {
        this.#change(id, ({ logs }) => ({ logs: appended(logs, message, 500) }));
        this.store.update(({ logs }) => ({
          logs: appended(
            logs,
            { id: this.store.nextId(), at: new Date(), kind: message.level, data: { ...message } },
            500,
          ),
        }));
      },
    };
    const answer = run.answer ?? withReason(await client.request(method, params, events), ending.signal);
    // Its questions need no answer any more.
    ending.abort();
    const taskId = taskIn(answer.outcome);
    this.#change(id, () => ({ answer, ...(taskId === undefined ? {} : { taskId }) }));
    // A kept one may have ended before the page was loaded again.
    const isOver = this.store.state.tasks.some((task) => task.taskId === taskId && hasEnded(task));
    if (taskId !== undefined && !isOver) await this.#follow(taskId, run.entry.key, client, answer.outcome);
  }

  #change(id: number, change: (run: Run) => Partial<Run>): void {
    this.store.update(({ runs }) => ({
      runs: runs.map((run) => (run.id === id ? { ...run, ...change(run) } : run)),
    }));
  }

  #setTask(task: Task): void {
    this.store.update(({ tasks }) => {
      const others = tasks.filter(({ taskId }) => taskId !== task.taskId);
      return {
        tasks:
          others.length === tasks.length
            ? [...tasks, task]
            : tasks.map((one) => (one.taskId === task.taskId ? task : one)),
      };
    });
  }

  /** Polls a task until it has ended, and answers its questions. */
  async #follow(taskId: string, title: string, client: McpClient, begun: Outcome): Promise<void> {
    const answered = new Set<string>();
    let state: JsonObject = begun.kind === 'result' ? begun.result : {};
    let isAsking = false;
    for (;;) {
      const task = { taskId, title, state };
      this.#setTask(task);
      if (hasEnded(task)) return;
      const requests = Object.entries(isObject(state['inputRequests']) ? state['inputRequests'] : {});
      const open = requests.filter(([key]) => !answered.has(key));
      if (open.length > 0 && !isAsking) {
        for (const [key] of open) answered.add(key);
        isAsking = true;
        void this.#answerTask(taskId, client, Object.fromEntries(open))
          // A server that knows the task after its restart is answered then.
          .then((isAnswered) => void (isAnswered || answered.clear()))
          .finally(() => (isAsking = false));
      }
      await pause(Math.max(LEAST_POLL_MS, Number(state['pollIntervalMs'] ?? 1000)));
      state = stateAfter(state, await client.request('tasks/get', { taskId }));
    }
  }

  /**
   * Asks the developer the questions of a task. @returns whether the developer has answered them, rather than
   * the server having ended.
   */
  async #answerTask(taskId: string, client: McpClient, requests: JsonObject): Promise<boolean> {
    const { signal } = this.#serverEnd;
    const inputResponses = await (client as StatelessClient).answer(requests, signal);
    if (signal.aborted) return false;
    if (inputResponses) await client.request('tasks/update', { taskId, inputResponses });
    else await this.cancelTask(taskId);
    return true;
  }

  async cancelTask(taskId: string): Promise<void> {
    await this.clientOf('2026-07-28').request('tasks/cancel', { taskId });
  }

  /** Removes a task and its call from the page. */
  removeTask(taskId: string): void {
    this.store.update(({ tasks, runs, selected }) => ({
      tasks: tasks.filter((one) => one.taskId !== taskId),
      runs: runs.filter((one) => one.taskId !== taskId),
      selected: selected?.key === taskId ? undefined : selected,
    }));
  }

  /** Closes the open questions, because a restarted server does not accept their answers. */
  serverEnded(): void {
    this.#serverEnd.abort();
    this.#serverEnd = new AbortController();
  }

  /** Shows a question to the developer. */
  ask(question: Question): Promise<JsonObject | undefined> {
    const id = this.store.nextId();
    const runId = question.signal && this.#bySignal.get(question.signal);
    const run = this.store.state.runs.find((one) => one.id === runId);
    return new Promise((resolve) => {
      const answer = (result: JsonObject | undefined): void => {
        this.store.update(({ questions }) => ({ questions: questions.filter((one) => one.id !== id) }));
        if (run && result)
          this.#change(run.id, ({ answers }) => ({
            answers: [...answers, { method: question.method, result }],
          }));
        resolve(result);
      };
      const about = `${run?.entry.key ?? 'the server'}, ${question.revision}`;
      question.signal?.addEventListener('abort', () => answer(undefined), { once: true });
      this.#serverEnd.signal.addEventListener('abort', () =>
        run ? run.cancel(RESTARTED) : answer(undefined),
      );
      this.store.update(({ questions }) => ({ questions: [...questions, { id, question, about, answer }] }));
    });
  }
}

/** Returns an answer. If the call was cancelled for a reason, the answer contains the reason. */
function withReason(answer: Answer, { reason }: { readonly reason: unknown }): Answer {
  if (answer.outcome.kind !== 'cancelled' || typeof reason !== 'string') return answer;
  return { ...answer, outcome: { kind: 'cancelled', reason } };
}

/**
 * Returns the state of a task after an answer to `tasks/get`. The state stays the same while the server is
 * not available.
 */
function stateAfter(state: JsonObject, { outcome, httpStatus }: Answer): JsonObject {
  const lost = (statusMessage: string): JsonObject => ({ ...state, status: 'lost', statusMessage });
  if (outcome.kind === 'result') return outcome.result;
  if (httpStatus < 200 || httpStatus >= 500) return state;
  if (outcome.kind === 'error') {
    const { code, message } = outcome.error;
    return lost(code === UNKNOWN_TASK ? LOST : `${message} (${code})`);
  }
  return outcome.kind === 'failed' ? lost(outcome.reason) : state;
}

function taskIn(outcome: Outcome): string | undefined {
  if (outcome.kind !== 'result' || outcome.result['resultType'] !== 'task') return undefined;
  const { taskId } = outcome.result;
  return typeof taskId === 'string' ? taskId : undefined;
}
