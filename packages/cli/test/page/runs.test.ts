import { afterEach, expect, jest, test } from '@jest/globals';
import type { Answer, McpClient, Outcome } from '../../page/src/mcp/messages.js';
import { StatelessClient } from '../../page/src/mcp/stateless-client.js';
import { Runs } from '../../page/src/state/runs.js';
import { hasEnded } from '../../page/src/state/state.js';
import { Store } from '../../page/src/state/store.js';
import type { JsonObject } from '../../src/json.js';

const entry = { kind: 'tool', key: 'report', descriptor: {} } as const;
const begun = { resultType: 'task', taskId: 't', status: 'working' };

function answerOf(outcome: Outcome, httpStatus: number): Answer {
  return { outcome, ms: 1, bytes: 1, httpStatus };
}

const resultOf = (result: JsonObject): Answer => answerOf({ kind: 'result', result }, 200);
const notUp = answerOf({ kind: 'failed', reason: 'HTTP 502: The server is not running (starting)' }, 502);
const unknown = answerOf(
  { kind: 'error', error: { code: -32602, message: 'This task does not exist' } },
  200,
);

/** Calls a tool that becomes a task. @param answers those to `tasks/get`, one after the other. */
async function follow(answers: readonly Answer[]) {
  jest.useFakeTimers();
  const store = new Store();
  const left = [...answers];
  const asked: string[] = [];
  const client = {
    request: async (method: string) => {
      asked.push(method);
      return method === 'tools/call' ? resultOf(begun) : (left.shift() ?? notUp);
    },
  } as unknown as McpClient;
  const runs = new Runs(store, () => client);
  runs.start(entry, 'tools/call', {}, ['2026-07-28']);
  await jest.advanceTimersByTimeAsync(5_000);
  return { store, runs, asked };
}

afterEach(() => void jest.useRealTimers());

test('a task is asked for again once the server is up', async () => {
  const full = answerOf({ kind: 'error', error: { code: -32603, message: 'The server ends' } }, 503);
  const { store } = await follow([notUp, full, resultOf({ taskId: 't', status: 'completed' })]);

  expect(store.state.tasks).toMatchObject([{ taskId: 't', state: { status: 'completed' } }]);
});

test('a task that the server no longer knows has ended, and can be removed', async () => {
  const { store, runs, asked } = await follow([notUp, unknown]);
  const [task] = store.state.tasks;

  expect(task?.state).toMatchObject({
    status: 'lost',
    statusMessage: 'The server no longer has this task: it has restarted, or the task has expired.',
  });
  expect(task && hasEnded(task)).toBe(true);
  expect(asked).toEqual(['tools/call', 'tasks/get', 'tasks/get']);

  store.update({ selected: { kind: 'task', key: 't' } });
  runs.removeTask('t');
  expect(store.state).toMatchObject({ tasks: [], runs: [], selected: undefined });
});

test('a task that has ended is not asked for again when the page is loaded again', async () => {
  const { store, asked } = await follow([resultOf({ taskId: 't', status: 'completed' })]);
  const again = new Store({ ...store.state, runs: [] });
  const client = { request: async (method: string) => (asked.push(method), unknown) };
  new Runs(again, () => client as unknown as McpClient).resume(store.state.runs);
  await jest.advanceTimersByTimeAsync(5_000);

  expect(asked).toEqual(['tools/call', 'tasks/get']);
  expect(again.state.tasks).toEqual(store.state.tasks);
});

test('the end of the server closes its questions, and their call says to call again', async () => {
  const store = new Store();
  const inputRequests = { a: { method: 'elicitation/create', params: { message: 'Who?' } } };
  const result = { resultType: 'input_required', inputRequests, requestState: 's' };
  const client: StatelessClient = new StatelessClient({
    send: async () => Response.json({ jsonrpc: '2.0', id: 1, result }),
    ask: (question) => runs.ask(question),
    onNotification: () => undefined,
  });
  const runs: Runs = new Runs(store, () => client);
  runs.start(entry, 'tools/call', {}, ['2026-07-28']);
  while (store.state.questions.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));

  runs.serverEnded();
  while (!store.state.runs[0]?.answer) await new Promise((resolve) => setTimeout(resolve, 5));

  expect(store.state.questions).toEqual([]);
  expect(store.state.runs[0].answer.outcome).toEqual({
    kind: 'cancelled',
    reason: 'The server has restarted: call again.',
  });
});
