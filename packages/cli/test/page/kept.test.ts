import { expect, test } from '@jest/globals';
import type { Outcome } from '../../page/src/mcp/messages.js';
import { keptOf, stateWith } from '../../page/src/state/kept.js';
import { FIRST_STATE, type Run } from '../../page/src/state/state.js';

const done: Outcome = { kind: 'result', result: { content: [] } };

/** A call that has ended, unless its outcome is `null`. */
function run(id: number, group: number, key: string, outcome: Outcome | null = done): Run {
  return {
    ...{ id, group, entry: { kind: 'tool', key }, method: 'tools/call', params: {} },
    ...{ revision: '2026-07-28', at: new Date(), logs: [], answers: [], cancel: () => undefined },
    ...(outcome && { answer: { outcome, ms: 1, bytes: 1, httpStatus: 200 } }),
  };
}

const open = (id: number, group: number, key: string): Run => run(id, group, key, null);

const keptRuns = (runs: readonly Run[]): readonly Run[] => keptOf({ ...FIRST_STATE, runs }, []).runs;

test('the last call of each definition is kept, with those in both revisions, and what has not ended', () => {
  const runs = [
    open(1, 1, 'a'),
    run(2, 2, 'a'),
    run(3, 3, 'a'),
    run(4, 3, 'a'),
    run(5, 4, 'b'),
    open(6, 4, 'b'),
  ];

  expect(keptRuns(runs).map(({ id }) => id)).toEqual([1, 3, 4, 5, 6]);
});

test('a large result is not kept, and the call says so', () => {
  const large: Outcome = { kind: 'result', result: { text: 'x'.repeat(300_000) } };
  const [kept] = keptRuns([run(1, 1, 'a', large)]);

  expect(kept?.answer?.outcome).toMatchObject({
    kind: 'dropped',
    reason: expect.stringContaining('too large'),
  });
});

test('together they stay within what a browser keeps, the latest first', () => {
  const outcome: Outcome = { kind: 'result', result: { text: 'x'.repeat(150_000) } };
  const runs = Array.from({ length: 50 }, (_, id) => run(id, id, `tool ${id}`, outcome));

  const kept = keptOf({ ...FIRST_STATE, runs }, [['tool/a', { value: 'y'.repeat(300_000) }]]);

  expect(kept.runs.at(-1)?.id).toBe(49);
  expect(JSON.stringify(kept).length).toBeLessThan(2_000_000);
  expect(kept.typed).toEqual([]);
});

test('a page begins with what was kept', () => {
  const tasks = ['working', 'lost'].map((status) => ({ taskId: status, title: 'a', state: { status } }));
  const server = { ...FIRST_STATE.server, starts: 3 };
  const kept = keptOf({ ...FIRST_STATE, tasks, server, activity: 'trace', mode: 'both' }, []);

  expect(stateWith(kept)).toMatchObject({
    tasks: [{ taskId: 'lost' }],
    server: { starts: 3 },
    activity: 'trace',
    mode: 'both',
  });
});
