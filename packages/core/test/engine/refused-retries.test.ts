import { describe, expect, test } from '@jest/globals';
import {
  type AppOptions,
  defineTool,
  type Guard,
  type LimitLike,
  TaskSupport,
  type ToolContext,
} from '../../src/index.js';
import { MemoryStateStore, type StateStore } from '../../src/backend.js';
import { endOf, TASKS } from '../extensions/task-client.js';
import { SlowStateStore } from '../fixtures/slow-state-store.js';
import { appOf, deferred, type Json, statelessClient, textOf } from '../harness.js';

const FORM = { type: 'object', properties: {} };
const USED = '"requestState" is refused: it has been used already';
const RATE_LIMITED = 429;

/** A tool that asks once, and then waits until a test lets it go on. */
async function asking(limit: LimitLike | undefined, store: StateStore, more: Partial<AppOptions> = {}) {
  const gate = deferred<void>();
  const runs: unknown[] = [];
  const door = { isOpen: true };
  class Door implements Guard {
    readonly allows = (): boolean => true;
    readonly permits = (): boolean => door.isOpen;
  }
  const wipe = defineTool({
    name: 'wipe',
    input: { type: 'object', properties: { file: { type: 'string' } } },
    metadata: TaskSupport.entry('optional'),
    ...(limit === undefined ? {} : { limit }),
    guards: [Door],
    handle: async ({ file }: Json, context: ToolContext) => {
      await context.elicit('Really?', FORM);
      runs.push(file);
      await gate.promise;
      return 'done';
    },
  });
  const app = await appOf({ definitions: [wipe], state: { store }, ...more });
  const client = statelessClient(app, { elicitation: {} });
  const ask = async (file: string): Promise<Json> => {
    const args = { name: 'wipe', arguments: { file } };
    const { requestState } = await client.result('tools/call', args);
    return { ...args, requestState, inputResponses: { 'question-1': { action: 'accept', content: {} } } };
  };
  const codeOf = async (retry: Json, as = client) => (await as.request('tools/call', retry)).error?.code;
  return { app, client, gate, runs, door, ask, codeOf };
}

describe.each<[string, () => StateStore]>([
  ['at hand', () => new MemoryStateStore()],
  ['slow', () => new SlowStateStore()],
])('a retry that is refused, with a store of states that is %s', (_how, store) => {
  test('for want of a place is served later, once', async () => {
    const { client, gate, runs, ask, codeOf } = await asking({ concurrency: 1 }, store());
    const [first, second] = [await ask('a'), await ask('b')];
    const running = client.result('tools/call', first);
    while (runs.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(await codeOf(second)).toBe(RATE_LIMITED);
    gate.resolve();
    expect(textOf(await running)).toBe('done');
    expect(textOf(await client.result('tools/call', second))).toBe('done');
    expect((await client.error('tools/call', second)).message).toBe(USED);
    expect(runs).toEqual(['a', 'b']);
  });

  test('by a rate is served later, once', async () => {
    const { client, gate, runs, ask, codeOf } = await asking({ rate: '1/s' }, store());
    gate.resolve();
    const retry = await ask('a');
    expect(await codeOf(retry)).toBe(RATE_LIMITED);
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    expect(textOf(await client.result('tools/call', retry))).toBe('done');
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    expect((await client.error('tools/call', retry)).message).toBe(USED);
    expect(runs).toEqual(['a']);
  });

  test('by a guard that looks at arguments is served later, once', async () => {
    const { client, gate, runs, door, ask, codeOf } = await asking(undefined, store());
    gate.resolve();
    const retry = await ask('a');
    door.isOpen = false;
    expect(await client.result('tools/call', retry)).toMatchObject({ isError: true });
    door.isOpen = true;
    expect(await codeOf(retry)).toBeUndefined();
    expect(await codeOf(retry)).toBe(-32602);
    expect(runs).toEqual(['a']);
  });

  test.each([{}, { queueMs: 5_000 }])(
    'since another one has used its state leaves its place to others, with a line of %j',
    async (line: { queueMs?: number }) => {
      const { client, gate, runs, ask, codeOf } = await asking({ concurrency: 1, ...line }, store());
      gate.resolve();
      const retry = await ask('a');
      const codes = await Promise.all(Array.from({ length: 5 }, () => codeOf(retry)));
      expect(codes.filter((code) => code === undefined)).toHaveLength(1);
      expect(codes.filter((code) => code === RATE_LIMITED || code === -32602)).toHaveLength(4);
      expect(runs).toEqual(['a']);
      expect(textOf(await client.result('tools/call', await ask('b')))).toBe('done');
    },
  );

  test('as there is no room for another task becomes one later, once', async () => {
    const { app, gate, runs, ask, codeOf } = await asking(undefined, store(), { tasks: { maxRunning: 1 } });
    const client = statelessClient(app, { elicitation: {}, extensions: { [TASKS]: {} } });
    const [first, second] = [await ask('a'), await ask('b')];
    const { taskId } = await client.result('tools/call', first);
    expect(await codeOf(second, client)).toBe(-32603);
    gate.resolve();
    await endOf(client, String(taskId));
    const answers = await Promise.all([1, 2, 3].map(() => client.request('tools/call', second)));
    const created = answers.flatMap(({ result }) => (result ? [String(result['taskId'])] : []));
    expect(created).toHaveLength(1);
    await endOf(client, created[0] ?? '');
    expect((await client.error('tools/call', second)).message).toBe(USED);
    expect(runs).toEqual(['a', 'b']);
  });
});
