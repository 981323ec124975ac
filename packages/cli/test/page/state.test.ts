import { expect, test } from '@jest/globals';
import { goneFrom, subjectOf } from '../../page/src/state/state.js';
import type { JsonObject } from '../../src/json.js';

const tools = (...names: readonly string[]) => names.map((name) => ({ name }));

test('a definition that is gone leads to the only one that was added', () => {
  expect(goneFrom('tool', 'a', tools('a', 'b'), tools('b', 'c'))).toEqual({
    kind: 'tool',
    key: 'a',
    descriptor: { name: 'a' },
    successor: 'c',
  });
  expect(goneFrom('tool', 'a', tools('a'), tools('b', 'c'))).not.toHaveProperty('successor');
  expect(goneFrom('tool', 'a', tools('a'), tools('a', 'c'))).toBeUndefined();
});

test.each<[kind: string, data: JsonObject, subject: string]>([
  ['call', { method: 'tasks/get', name: 't' }, 'tasks/get report'],
  ['call', { method: 'tasks/cancel', name: 'other' }, 'tasks/cancel'],
  ['task', { id: 't', tool: 'report', status: 'working' }, 'report'],
  ['call', { method: 'tools/call', name: 'add' }, 'add'],
  ['call', { method: 'tools/list' }, 'tools/list'],
  ['refused', { status: 401 }, 'refused'],
])('the subject of the event %s %j is %j', (kind, data, subject) => {
  const tasks = [{ taskId: 't', title: 'report', state: {} }];

  expect(subjectOf({ id: 1, at: new Date(), kind, data }, tasks)).toBe(subject);
});
