import { describe, expect, test } from '@jest/globals';
import { OverloadedError, type StoredTask, type TaskState, type TaskStore } from '@sigil/core/backend';
import { until, wait } from './waiting.js';

/** Bounds of a store under test; `maxLength` stands for what each store counts, characters or bytes. */
export interface TaskBounds {
  readonly maxTasks?: number;
  readonly maxTasksPerOwner?: number;
  readonly maxLength?: number;
  readonly maxLengthPerOwner?: number;
}

/**
 * What every store of tasks must do, whatever it keeps them in.
 *
 * @param create makes a store without tasks.
 */
export function describeTaskStore(
  name: string,
  create: (bounds?: TaskBounds) => TaskStore | Promise<TaskStore>,
): void {
  describe(`${name} is a task store that`, () => {
    test('finds a task as soon as it has been created', async () => {
      const store = await create();
      await store.create(stored('a'));
      expect(await store.get('a')).toEqual(stored('a'));
    });

    test('gives everything back as it was', async () => {
      const store = await create();
      const outcome = JSON.stringify({ text: 'Grüße "🌍" \\ \u0001' });
      const task = stored('a', { owner: "o'neill %s", run: 'r', attempts: 3, round: 7, outcome });
      await store.create(task);
      expect(await store.get('a')).toEqual(task);
    });

    test('knows no other tasks, whatever they are called', async () => {
      const store = await create();
      await store.create(stored('a'));
      for (const taskId of ['b', 'A', '', '__proto__', 'constructor'])
        expect(await store.get(taskId)).toBeUndefined();
    });

    test('replaces a task with its next version', async () => {
      const store = await create();
      await store.create(stored('a'));
      expect(await store.replace(stored('a', { version: 2, journal: 'later' }))).toBe(true);
      expect(await store.get('a')).toMatchObject({ version: 2, journal: 'later' });
    });

    test('refuses a version that does not follow the one it has', async () => {
      const store = await create();
      await store.create(stored('a'));
      await store.replace(stored('a', { version: 2, journal: 'first' }));
      expect(await store.replace(stored('a', { version: 2, journal: 'second' }))).toBe(false);
      expect(await store.replace(stored('a', { version: 4, journal: 'third' }))).toBe(false);
      expect(await store.get('a')).toMatchObject({ version: 2, journal: 'first' });
    });

    test('lets one alone of many that replace the same version win', async () => {
      const store = await create();
      await store.create(stored('a', { owner: 'ada' }));
      const won = await Promise.all(
        Array.from({ length: 20 }, async (_, at) =>
          store.replace(stored('a', { owner: 'ada', version: 2, journal: 'x'.repeat(at * 1000) })),
        ),
      );
      expect(won.filter(Boolean)).toEqual([true]);
    });

    test('replaces nothing that is not there', async () => {
      const store = await create();
      expect(await store.replace(stored('a', { version: 2 }))).toBe(false);
      expect(await store.get('a')).toBeUndefined();
    });

    test('keeps what it was given, whatever becomes of the object', async () => {
      const store = await create();
      const given = stored('a');
      await store.create(given);
      (given.task as { status: string }).status = 'failed';
      const read = await store.get('a');
      expect(read?.task.status).toBe('working');
      if (read) (read.task as { status: string }).status = 'failed';
      expect((await store.get('a'))?.task.status).toBe('working');
    });

    test('has forgotten a task that has expired', async () => {
      const store = await create();
      await store.create(stored('a', {}, { ttlMs: 40 }));
      await store.create(stored('long', {}, { ttlMs: 60_000 }));
      await until(async () => (await store.get('a')) === undefined);
      expect(await store.replace(stored('a', { version: 2 }))).toBe(false);
      expect((await store.queued(10)).taskIds).toEqual(['long']);
    });

    test('counts the time of a task from its creation, whatever its later versions say', async () => {
      const store = await create();
      await store.create(stored('short', {}, { ttlMs: 60 }));
      await store.create(stored('long', {}, { ttlMs: 60_000 }));
      await store.replace(stored('short', { version: 2 }, { ttlMs: null }));
      await store.replace(stored('long', { version: 2 }, { ttlMs: 1 }));
      await until(async () => (await store.get('short')) === undefined);
      expect(await store.get('long')).toMatchObject({ version: 2 });
    });

    describe('lists the tasks that are queued', () => {
      const all = async (store: TaskStore, limit: number): Promise<string[]> => {
        const found: string[] = [];
        for (let cursor: string | undefined; ;) {
          const page = await store.queued(limit, cursor);
          expect(page.taskIds.length).toBeLessThanOrEqual(limit);
          found.push(...page.taskIds);
          if (page.cursor === undefined) return found;
          cursor = page.cursor;
        }
      };

      test('and no others', async () => {
        const store = await create();
        const statuses = ['working', 'input_required', 'completed', 'cancelled', 'failed'] as const;
        for (const status of statuses) await store.create(stored(status, { isQueued: false }, { status }));
        await store.create(stored('timed', { isQueued: true }, { status: 'input_required' }));
        expect(await all(store, 10)).toEqual(['timed']);
      });

      test('as they are now', async () => {
        const store = await create();
        for (const taskId of ['a', 'b']) await store.create(stored(taskId));
        await store.replace(stored('a', { version: 2, isQueued: false }, { status: 'input_required' }));
        expect(await all(store, 10)).toEqual(['b']);
        await store.replace(stored('a', { version: 3 }, { status: 'working' }));
        expect((await all(store, 10)).sort()).toEqual(['a', 'b']);
        await store.replace(stored('b', { version: 2, isQueued: false }, { status: 'completed' }));
        expect(await all(store, 10)).toEqual(['a']);
      });

      test.each([1, 2, 3, 10])('each once, in pages of at most %d', async (limit) => {
        const store = await create();
        const taskIds = ['a', 'b', 'c', 'd', 'e', 'f'];
        for (const taskId of taskIds) await store.create(stored(taskId));
        expect((await all(store, limit)).sort()).toEqual(taskIds);
      });

      test('where there are none', async () => {
        const store = await create();
        expect(await store.queued(10)).toEqual({ taskIds: [] });
      });

      test('to their end when the task that a page ended with has gone on', async () => {
        const store = await create();
        for (const taskId of ['a', 'b', 'c']) await store.create(stored(taskId));
        const first = await store.queued(1);
        const [taskId = ''] = first.taskIds;
        await store.replace(stored(taskId, { version: 2, isQueued: false }, { status: 'completed' }));
        const rest = await store.queued(10, first.cursor);
        expect([...rest.taskIds].sort()).toEqual(['a', 'b', 'c'].filter((other) => other !== taskId));
      });
    });

    describe('has room for', () => {
      const finished = (taskId: string, owner: string | null = null, journal = '') =>
        stored(taskId, { owner, journal }, { status: 'completed' });
      const kept = async (store: TaskStore, ...taskIds: string[]) => {
        const found = await Promise.all(taskIds.map(async (taskId) => store.get(taskId)));
        return taskIds.filter((_, at) => found[at] !== undefined);
      };

      test('so many tasks, and refuses more', async () => {
        const store = await create({ maxTasks: 2, maxTasksPerOwner: 2 });
        for (const taskId of ['a', 'b']) await store.create(stored(taskId));
        await expect(async () => store.create(stored('c'))).rejects.toThrow(OverloadedError);
        expect(await kept(store, 'a', 'b', 'c')).toEqual(['a', 'b']);
      });

      test('another one once a task has expired', async () => {
        const store = await create({ maxTasks: 1, maxTasksPerOwner: 1 });
        await store.create(stored('a', { owner: 'ada' }, { ttlMs: 20 }));
        await wait(40);
        await store.create(stored('b', { owner: 'ada' }));
        expect(await kept(store, 'a', 'b')).toEqual(['b']);
      });

      test('so many of one owner: the oldest that has finished gives way to the next', async () => {
        const store = await create({ maxTasks: 12, maxTasksPerOwner: 3 });
        for (const taskId of ['a', 'b', 'c', 'd', 'e']) await store.create(finished(taskId, 'ada'));
        await store.create(finished('x', 'bob'));
        expect(await kept(store, 'a', 'b', 'c', 'd', 'e', 'x')).toEqual(['c', 'd', 'e', 'x']);
      });

      test('those at work, which do not give way', async () => {
        const store = await create({ maxTasks: 100, maxTasksPerOwner: 2 });
        await store.create(stored('work', { owner: 'ada' }));
        await store.create(finished('done', 'ada'));
        await store.create(stored('more', { owner: 'ada' }));
        await expect(async () => store.create(stored('last', { owner: 'ada' }))).rejects.toThrow(
          OverloadedError,
        );
        expect(await kept(store, 'work', 'done', 'more', 'last')).toEqual(['work', 'more']);
      });

      test('those of other owners, which do not give way; all whose owner is not known are one', async () => {
        const store = await create({ maxTasks: 4, maxTasksPerOwner: 4 });
        for (const taskId of ['a', 'b', 'c']) await store.create(finished(taskId, 'ada'));
        await store.create(finished('d'));
        await expect(async () => store.create(finished('e', 'bob'))).rejects.toThrow(OverloadedError);
        await store.create(finished('f', 'ada'));
        await store.create(finished('g'));
        expect(await kept(store, 'a', 'b', 'c', 'd', 'e', 'f', 'g')).toEqual(['b', 'c', 'f', 'g']);
      });

      test('so much of one owner: what has finished gives way to a longer version of another', async () => {
        const store = await create({ maxLength: 400_000, maxLengthPerOwner: 100_000 });
        await store.create(finished('old', 'ada', 'x'.repeat(40_000)));
        await store.create(stored('work', { owner: 'ada' }));
        const long = (length: number, version: number) =>
          stored('work', { owner: 'ada', version, journal: 'x'.repeat(length) });
        expect(await store.replace(long(80_000, 2))).toBe(true);
        expect(await kept(store, 'old', 'work')).toEqual(['work']);
        await expect(async () => store.replace(long(120_000, 3))).rejects.toThrow(OverloadedError);
        expect(await store.get('work')).toMatchObject({ version: 2 });
      });

      test('so much in all', async () => {
        const store = await create({ maxLength: 200_000, maxLengthPerOwner: 100_000 });
        for (const owner of ['ada', 'bob']) await store.create(finished(owner, owner, 'x'.repeat(80_000)));
        await expect(async () => store.create(finished('eve', 'eve', 'x'.repeat(80_000)))).rejects.toThrow(
          OverloadedError,
        );
        expect(await kept(store, 'ada', 'bob', 'eve')).toEqual(['ada', 'bob']);
      });

      test('those it has where a new one has no room all the same', async () => {
        const store = await create({ maxLength: 400_000, maxLengthPerOwner: 100_000 });
        for (const taskId of ['a', 'b']) await store.create(finished(taskId, 'ada'));
        const long = finished('long', 'ada', 'x'.repeat(120_000));
        await expect(async () => store.create(long)).rejects.toThrow(OverloadedError);
        expect(await kept(store, 'a', 'b', 'long')).toEqual(['a', 'b']);
      });

      test('no more by versions that are replaced', async () => {
        const store = await create({ maxLength: 400_000, maxLengthPerOwner: 100_000 });
        await store.create(stored('a', { owner: 'ada', journal: 'x'.repeat(60_000) }));
        for (let version = 2; version < 12; version += 1) {
          const next = stored('a', { owner: 'ada', version, journal: 'y'.repeat(60_000 - version) });
          expect(await store.replace(next)).toBe(true);
        }
      });

      test('no more than its bounds when many are created at the same time', async () => {
        const store = await create({ maxTasks: 10, maxTasksPerOwner: 4 });
        const outcomes = await Promise.allSettled(
          ['ada', 'bob', 'eve'].flatMap((owner) =>
            Array.from({ length: 8 }, async (_, at) => store.create(stored(`${owner}${at}`, { owner }))),
          ),
        );
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
        expect((await store.queued(100)).taskIds).toHaveLength(10);
      });
    });
  });
}

/** A task that has just begun. */
export function stored(
  taskId: string,
  rest: Partial<Omit<StoredTask, 'task'>> = {},
  state: Partial<TaskState> = {},
): StoredTask {
  const now = '2026-01-01T00:00:00.000Z';
  return {
    task: {
      taskId,
      status: 'working',
      createdAt: now,
      lastUpdatedAt: now,
      ttlMs: null,
      pollIntervalMs: 1000,
      ...state,
    },
    version: 1,
    owner: null,
    tool: 'work',
    toolVersion: '1',
    round: 1,
    isQueued: true,
    run: null,
    attempts: 0,
    call: '',
    journal: '',
    ...rest,
  };
}
