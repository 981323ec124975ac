import { describe, expect, test } from '@jest/globals';
import { describeTaskStore, stored } from '../../../../tests/contract/backend/task-store.js';
import { MemoryTaskStore } from '../../src/backend.js';
import { DefinitionError } from '../../src/errors/errors.js';

describeTaskStore('MemoryTaskStore', (bounds) => new MemoryTaskStore(bounds));

describe('a full MemoryTaskStore', () => {
  test('refuses new tasks and keeps those it has', () => {
    const store = new MemoryTaskStore({ maxTasks: 1 });
    store.create(stored('a'), 0);
    expect(() => store.create(stored('b'), 0)).toThrow('More than 1 tasks are kept');
    expect(store.get('a')).toBeDefined();
    expect(store.size).toBe(1);
  });

  test('has room again when a task has expired', async () => {
    const store = new MemoryTaskStore({ maxTasks: 1 });
    store.create(stored('a', {}, { ttlMs: 10 }), 0);
    await new Promise((resolve) => setTimeout(resolve, 20));
    store.create(stored('b'), 0);
    expect(store.size).toBe(1);
  });

  test('refuses a version that is too long, and keeps the one before it', () => {
    const store = new MemoryTaskStore({ maxLength: 1000 });
    store.create(stored('a'), 0);
    const long = stored('a', { version: 2, journal: 'x'.repeat(1000) });
    expect(() => store.replace(long)).toThrow('The tasks take more than 1000 characters');
    expect(store.get('a')).toMatchObject({ version: 1 });
  });

  test('counts what replaced versions no longer take', () => {
    const store = new MemoryTaskStore({ maxLength: 1000 });
    store.create(stored('a', { tool: 'x'.repeat(500) }), 0);
    for (let version = 2; version < 20; version += 1) {
      expect(store.replace(stored('a', { version, tool: 'y'.repeat(500) }))).toBe(true);
    }
  });
});

describe('the tasks of one owner', () => {
  const finished = (taskId: string, owner: string | null = null, journal = '') =>
    stored(taskId, { owner, journal }, { status: 'completed' });
  const kept = (store: MemoryTaskStore, ...taskIds: string[]) =>
    taskIds.filter((taskId) => store.get(taskId) !== undefined);

  test('are a quarter of all at most: the oldest that has finished gives way to the next', () => {
    const store = new MemoryTaskStore({ maxTasks: 12 });
    for (const taskId of ['a', 'b', 'c', 'd', 'e']) store.create(finished(taskId, 'ada'), 0);
    store.create(finished('x', 'bob'), 0);
    expect(kept(store, 'a', 'b', 'c', 'd', 'e', 'x')).toEqual(['c', 'd', 'e', 'x']);
  });

  test('do not give way while they are at work', () => {
    const store = new MemoryTaskStore({ maxTasks: 100, maxTasksPerOwner: 2 });
    store.create(stored('work', { owner: 'ada' }), 0);
    store.create(finished('done', 'ada'), 0);
    store.create(stored('more', { owner: 'ada' }), 0);
    expect(() => store.create(stored('last', { owner: 'ada' }), 0)).toThrow(
      'The limit of 2 stored tasks for one owner is reached',
    );
    expect(kept(store, 'work', 'done', 'more', 'last')).toEqual(['work', 'more']);
  });

  test('give way to no task of another owner; all whose owner is not known are one', () => {
    const store = new MemoryTaskStore({ maxTasks: 4, maxTasksPerOwner: 4 });
    for (const taskId of ['a', 'b', 'c']) store.create(finished(taskId, 'ada'), 0);
    store.create(finished('d'), 0);
    expect(() => store.create(finished('e', 'bob'), 0)).toThrow('More than 4 tasks');
    store.create(finished('f', 'ada'), 0);
    store.create(finished('g'), 0);
    expect(kept(store, 'a', 'b', 'c', 'd', 'e', 'f', 'g')).toEqual(['b', 'c', 'f', 'g']);
  });

  test('take a quarter of all characters at most: finished ones give way to a longer version of another', () => {
    const store = new MemoryTaskStore({ maxLength: 8000 });
    store.create(finished('old', 'ada', 'x'.repeat(800)), 0);
    store.create(stored('work', { owner: 'ada' }), 0);
    const long = (length: number) =>
      stored('work', { owner: 'ada', version: 2, journal: 'x'.repeat(length) });
    expect(store.replace(long(800))).toBe(true);
    expect(kept(store, 'old', 'work')).toEqual(['work']);
    expect(() => store.replace({ ...long(2000), version: 3 })).toThrow(
      'The limit of 2000 characters for the stored tasks of one owner is reached',
    );
    for (let at = 0; at < 5; at += 1) store.create(finished(`${at}`, `${at}`, 'x'.repeat(800)), 0);
    expect(() => store.create(finished('last', 'last', 'x'.repeat(1500)), 0)).toThrow(
      'more than 8000 characters',
    );
  });

  test('give way to nothing that has no room all the same', () => {
    const store = new MemoryTaskStore({ maxLength: 8000 });
    for (const taskId of ['a', 'b']) store.create(finished(taskId, 'ada'), 0);
    expect(() => store.create(finished('long', 'ada', 'x'.repeat(2000)), 0)).toThrow(
      'The limit of 2000 characters',
    );
    expect(kept(store, 'a', 'b', 'long')).toEqual(['a', 'b']);
  });

  test('count no more when they have expired', async () => {
    const store = new MemoryTaskStore({ maxTasksPerOwner: 1 });
    store.create(stored('a', { owner: 'ada' }, { ttlMs: 10 }), 0);
    await new Promise((resolve) => setTimeout(resolve, 20));
    store.create(stored('b', { owner: 'ada' }), 0);
    expect(store.size).toBe(1);
  });

  test.each(['maxTasks', 'maxTasksPerOwner', 'maxLength', 'maxLengthPerOwner'])(
    'take no bound of 0 as %s',
    (name) => {
      expect(() => new MemoryTaskStore({ [name]: 0 })).toThrow(DefinitionError);
    },
  );
});
