import { isObject, type JsonObject } from '../../../src/json.js';
import { answerWithout } from '../mcp/exchange.js';
import { messageOf, type Outcome, type Question, resultOf } from '../mcp/messages.js';
import type { McpClient, RequestEvents, Revision } from '../mcp/messages.js';
import { parameterHeaders } from '../../../src/program/parameter-headers.js';
import { pause, type StatelessClient } from '../mcp/stateless-client.js';
import type { Entry, Run, Task } from './state.js';
import { appended, type Store } from './store.js';

const MOST_RUNS = 100;
const LEAST_POLL_MS = 200;
const RELOADED = 'The page was loaded again, which has cancelled the call: send it again.';

/** Sends calls, follows their tasks, and puts questions before the developer. */
export class Runs {
  /** The run that a question belongs to, by the signal that cancels both. */
  readonly #bySignal = new WeakMap<AbortSignal, number>();

  constructor(
    private readonly store: Store,
    private readonly clientOf: (revision: Revision) => McpClient,
  ) {}

  /** Sends a request about an entry, in each of the revisions, side by side. */
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

  /** The calls that have not ended, and the tasks. */
  get unfinished(): readonly Run[] {
    return this.store.state.runs.filter(({ answer, taskId }) => !answer || taskId !== undefined);
  }

  /** Goes on with tasks and open questions of before the page was loaded again. The other calls were cancelled then. */
  resume(runs: readonly Run[]): void {
    for (const { at, ...run } of runs) {
      const isLost = !run.answer && !run.asked;
      const lost = isLost ? { answer: answerWithout({ kind: 'cancelled', reason: RELOADED }, 0) } : {};
      void this.#run({ ...run, ...lost, at: new Date(at) });
    }
  }

  async #run(begun: Omit<Run, 'cancel'>): Promise<void> {
    const ending = new AbortController();
    const run: Run = { ...begun, cancel: () => ending.abort() };
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
    const answer = run.answer ?? (await client.request(method, params, events));
    const taskId = taskIn(answer.outcome);
    this.#change(id, () => ({ answer, ...(taskId === undefined ? {} : { taskId }) }));
    if (taskId !== undefined) await this.#follow(taskId, run.entry.key, client, answer.outcome);
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
      this.#setTask({ taskId, title, state });
      if (ENDED.includes(String(state['status']))) return;
      const requests = Object.entries(isObject(state['inputRequests']) ? state['inputRequests'] : {});
      const open = requests.filter(([key]) => !answered.has(key));
      if (open.length > 0 && !isAsking) {
        for (const [key] of open) answered.add(key);
        isAsking = true;
        void this.#answerTask(taskId, client, Object.fromEntries(open)).finally(() => (isAsking = false));
      }
      await pause(Math.max(LEAST_POLL_MS, Number(state['pollIntervalMs'] ?? 1000)));
      const answer = await client.request('tasks/get', { taskId });
      try {
        state = resultOf(answer);
      } catch (error) {
        return this.#setTask({ taskId, title, state, error: messageOf(error) });
      }
    }
  }

  async #answerTask(taskId: string, client: McpClient, requests: JsonObject): Promise<void> {
    const inputResponses = await (client as StatelessClient).answer(requests);
    if (inputResponses) await client.request('tasks/update', { taskId, inputResponses });
    else await this.cancelTask(taskId);
  }

  async cancelTask(taskId: string): Promise<void> {
    await this.clientOf('2026-07-28').request('tasks/cancel', { taskId });
  }

  /** Puts a question before the developer. */
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
      this.store.update(({ questions }) => ({ questions: [...questions, { id, question, about, answer }] }));
    });
  }
}

const ENDED = ['completed', 'failed', 'cancelled'];

function taskIn(outcome: Outcome): string | undefined {
  if (outcome.kind !== 'result' || outcome.result['resultType'] !== 'task') return undefined;
  const { taskId } = outcome.result;
  return typeof taskId === 'string' ? taskId : undefined;
}
