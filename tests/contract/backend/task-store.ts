import { describe, expect, test } from '@jest/globals';
import {
  OverloadedError,
  type StoredTask,
  type TaskClaim,
  type TaskRecord,
  type TaskState,
  type TaskStatus,
  type TaskStore,
} from '@sigil/core/backend';
import { until, wait } from './waiting.js';

/** Bounds of a store under test; `maxLength` stands for what each store counts, characters or bytes. */
export interface TaskBounds {
  readonly maxTasks?: number;
  readonly maxTasksPerOwner?: number;
  readonly maxLength?: number;
  readonly maxLengthPerOwner?: number;
}

/** A store in a server that can stand still. */
export interface StallingStore {
  /** It waits for an answer for less than a second. */
  readonly store: TaskStore;
  /** Stops the server: it takes what is sent, and answers nothing. */
  pause(): unknown;
  /** Lets the server go on. */
  resume(): unknown;
}

/**
 * What every store of tasks must do, whatever it keeps them in.
 *
 * @param create makes a store without tasks.
 * @param createStalling makes one in a server, where it is not in this process.
 */
export function describeTaskStore(
  name: string,
  create: (bounds?: TaskBounds) => TaskStore | Promise<TaskStore>,
  createStalling?: () => StallingStore,
): void {
  describe(`${name} is a task store that`, () => {
    test('finds a task as soon as it has been created', async () => {
      const store = await create();
      await store.create(stored('a'), 0);
      expect(await store.get('a')).toEqual({ ...stored('a'), notBefore: expect.any(Number) });
    });

    test('gives everything back as it was', async () => {
      const store = await create();
      const outcome = JSON.stringify({ text: 'Grüße "🌍" \\ \u0001' });
      const task = stored('a', { owner: "o'neill %s", run: 'r', attempts: 3, isError: true, outcome });
      await store.create(task, null);
      expect(await store.get('a')).toEqual({ ...task, notBefore: null });
    });

    test('knows no other tasks, whatever they are called', async () => {
      const store = await create();
      await store.create(stored('a'), 0);
      for (const taskId of ['b', 'A', '', '__proto__', 'constructor'])
        expect(await store.get(taskId)).toBeUndefined();
    });

    test('replaces a task with its next version', async () => {
      const store = await create();
      await store.create(stored('a'), 0);
      expect(await store.replace(stored('a', { version: 2, journal: 'later' }))).toBe(true);
      expect(await store.get('a')).toMatchObject({ version: 2, journal: 'later' });
    });

    test('refuses a version that does not follow the one it has', async () => {
      const store = await create();
      await store.create(stored('a'), 0);
      await store.replace(stored('a', { version: 2, journal: 'first' }));
      expect(await store.replace(stored('a', { version: 2, journal: 'second' }))).toBe(false);
      expect(await store.replace(stored('a', { version: 4, journal: 'third' }))).toBe(false);
      expect(await store.get('a')).toMatchObject({ version: 2, journal: 'first' });
    });

    test('lets one alone of many that replace the same version win', async () => {
      const store = await create();
      await store.create(stored('a', { owner: 'ada' }), 0);
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
      await store.create(given, 0);
      (given.task as { status: string }).status = 'failed';
      const read = await store.get('a');
      expect(read?.task.status).toBe('working');
      if (read) (read.task as { status: string }).status = 'failed';
      expect((await store.get('a'))?.task.status).toBe('working');
    });

    test('has forgotten a task that has expired', async () => {
      const store = await create();
      await store.create(stored('a', {}, { ttlMs: 40 }), 0);
      await store.create(stored('long', {}, { ttlMs: 60_000 }), 0);
      await until(async () => (await store.get('a')) === undefined);
      expect(await store.replace(stored('a', { version: 2 }))).toBe(false);
      expect((await store.list(10)).tasks.map(({ task }) => task.taskId)).toEqual(['long']);
      expect(claimedIds(await store.claim(claim({ limit: 5 })))).toEqual(['long']);
    });

    test('counts the time of a task from its creation, whatever its later versions say', async () => {
      const store = await create();
      await store.create(stored('short', {}, { ttlMs: 60 }), 0);
      await store.create(stored('long', {}, { ttlMs: 60_000 }), 0);
      await store.replace(stored('short', { version: 2 }, { ttlMs: null }));
      await store.replace(stored('long', { version: 2 }, { ttlMs: 1 }));
      await until(async () => (await store.get('short')) === undefined);
      expect(await store.get('long')).toMatchObject({ version: 2 });
    });

    describe('hands out', () => {
      test('a task that can be claimed, with a run, a lease and one attempt more', async () => {
        const store = await create();
        await store.create(stored('a', { owner: 'ada', journal: 'kept' }), 0);
        const [claimed] = await store.claim(claim({ run: 'one', leaseMs: 60_000 }));
        expect(claimed).toEqual({
          ...stored('a', { owner: 'ada', journal: 'kept', run: 'one', attempts: 1, version: 2 }),
          notBefore: expect.any(Number),
        });
        expect(await store.get('a')).toEqual(claimed);
        expect(await store.replace(stored('a', { version: 2 }))).toBe(false);
      });

      test('each task to one alone of many that claim at the same time', async () => {
        const store = await create();
        for (let at = 0; at < 20; at += 1) await store.create(stored(`t${at}`, { owner: `o${at % 3}` }), 0);
        const claims = await Promise.all(
          Array.from({ length: 8 }, async (_, at) => store.claim(claim({ run: `run${at}`, limit: 4 }))),
        );
        const taskIds = claims.flatMap(claimedIds);
        // A store may pass over what another claim is about to take.
        for (let more = 0; taskIds.length < 20 && more < 20; more += 1)
          taskIds.push(...claimedIds(await store.claim(claim({ run: `more${more}`, limit: 4 }))));
        expect(taskIds).toHaveLength(20);
        expect(new Set(taskIds).size).toBe(20);
      });

      test('as many as are asked for, and no more', async () => {
        const store = await create();
        for (const taskId of ['a', 'b', 'c']) await store.create(stored(taskId), 0);
        expect(await store.claim(claim({ limit: 2 }))).toHaveLength(2);
        expect(await store.claim(claim({ limit: 2 }))).toHaveLength(1);
        expect(await store.claim(claim({ limit: 2 }))).toEqual([]);
      });

      test('of one owner the task that could be claimed first', async () => {
        const store = await create();
        for (const taskId of ['a', 'b', 'c', 'd']) {
          await store.create(stored(taskId, { owner: 'ada' }), 0);
          await wait(5);
        }
        expect(claimedIds(await store.claim(claim({ limit: 2 })))).toEqual(['a', 'b']);
        await store.replace(stored('a', { owner: 'ada', version: 3 }), 0);
        await wait(5);
        expect(claimedIds(await store.claim(claim({ limit: 3 })))).toEqual(['c', 'd', 'a']);
      });

      test('tasks of all owners in turn, however many one has', async () => {
        const store = await create();
        for (let at = 0; at < 30; at += 1) await store.create(stored(`ada${at}`, { owner: 'ada' }), 0);
        for (const owner of ['bob', 'eve', null])
          for (const at of [0, 1]) await store.create(stored(`${owner}${at}`, { owner }), 0);
        const claimed = await store.claim(claim({ limit: 8 }));
        const counts = new Map<string | null, number>();
        for (const { owner } of claimed) counts.set(owner, (counts.get(owner) ?? 0) + 1);
        expect(counts).toEqual(
          new Map([
            ['ada', 2],
            ['bob', 2],
            ['eve', 2],
            [null, 2],
          ]),
        );
      });

      test('over several claims each owner its turn', async () => {
        const store = await create();
        for (const owner of ['ada', 'bob', 'eve'])
          for (const at of [0, 1, 2]) await store.create(stored(`${owner}${at}`, { owner }), 0);
        const owners: (string | null)[] = [];
        for (let at = 0; at < 6; at += 1) {
          const [next] = await store.claim(claim({ run: `run${at}` }));
          owners.push(next?.owner ?? null);
          await wait(2);
        }
        expect(new Set(owners.slice(0, 3)).size).toBe(3);
        expect(new Set(owners.slice(3)).size).toBe(3);
      });

      test('no task of tools and owners that are excluded', async () => {
        const store = await create();
        await store.create(stored('a', { owner: 'ada', tool: 'slow' }), 0);
        await store.create(stored('b', { owner: 'ada', tool: "it's" }), 0);
        await store.create(stored('c', { owner: 'bob', tool: 'fast' }), 0);
        await store.create(stored('d', { tool: 'fast' }), 0);
        const left = { limit: 10, excludeTools: ['slow', "it's"], excludeOwners: ['bob', null] };
        expect(await store.claim(claim(left))).toEqual([]);
        const rest = await store.claim(claim({ limit: 10, excludeTools: ['slow'], excludeOwners: ['bob'] }));
        expect(claimedIds(rest).sort()).toEqual(['b', 'd']);
      });

      test('no task before its delay is over', async () => {
        const store = await create();
        await store.create(stored('later'), 60_000);
        await store.create(stored('never'), null);
        await store.create(stored('soon'), 50);
        expect(await store.claim(claim({ limit: 10 }))).toEqual([]);
        await until(async () => (await store.claim(claim({ limit: 10 }))).length > 0);
        const soon = await store.get('soon');
        expect(soon).toMatchObject({ run: 'run', attempts: 1 });
        await store.replace(stored('never', { version: 2 }), 0);
        expect(claimedIds(await store.claim(claim({ limit: 10 })))).toEqual(['never']);
      });

      test('a task again whose lease has ended, and not before', async () => {
        const store = await create();
        await store.create(stored('a'), 0);
        await store.claim(claim({ run: 'one', leaseMs: 80 }));
        expect(await store.claim(claim({ run: 'two' }))).toEqual([]);
        await until(async () => (await store.claim(claim({ run: 'two' }))).length > 0);
        expect(await store.get('a')).toMatchObject({ run: 'two', attempts: 2, version: 3 });
      });

      test('no task that has ended', async () => {
        const store = await create();
        await store.create(stored('a'), 0);
        await store.claim(claim({ run: 'one', leaseMs: 20 }));
        await store.replace(stored('a', { version: 3, run: null }, { status: 'completed' }), null);
        await wait(40);
        expect(await store.claim(claim({ run: 'two' }))).toEqual([]);
      });

      test('a task that could be claimed for so long, where only those are asked for', async () => {
        const store = await create();
        await store.create(stored('old', { owner: 'ada' }), 0);
        await wait(150);
        await store.create(stored('new', { owner: 'bob' }), 0);
        expect(claimedIds(await store.claim(claim({ limit: 5, overdueMs: 100 })))).toEqual(['old']);
        expect(claimedIds(await store.claim(claim({ limit: 5 })))).toEqual(['new']);
      });

      test('a task whose lease has ended before those that an executor has time to begin', async () => {
        const store = await create();
        for (const taskId of ['a', 'b', 'c']) await store.create(stored(taskId), 0);
        await store.claim(claim({ run: 'one', taskId: 'b', leaseMs: 60 }));
        const rescue = async () => claimedIds(await store.claim(claim({ limit: 5, overdueMs: 60_000 })));
        expect(await rescue()).toEqual([]);
        let rescued: readonly string[] = [];
        await until(async () => (rescued = await rescue()).length > 0);
        expect(rescued).toEqual(['b']);
        expect(claimedIds(await store.claim(claim({ limit: 5 })))).toEqual(['a', 'c']);
      });

      test('a task that is asked for by its id, and only that', async () => {
        const store = await create();
        for (const taskId of ['a', 'b']) await store.create(stored(taskId), 0);
        expect(claimedIds(await store.claim(claim({ taskId: 'b' })))).toEqual(['b']);
        expect(await store.claim(claim({ taskId: 'b' }))).toEqual([]);
        expect(await store.claim(claim({ taskId: 'none' }))).toEqual([]);
        expect(claimedIds(await store.claim(claim({ limit: 5 })))).toEqual(['a']);
      });

      if (!createStalling) return;
      test.each([{}, { taskId: 'a' }])(
        'nothing by a claim that came to a server that stood still, and was given up: %j',
        async (which) => {
          const { store, pause, resume } = createStalling();
          await store.create(stored('a'), 0);
          expect(await store.claim(claim({ taskId: 'none' }))).toEqual([]);
          await pause();
          try {
            await expect(store.claim(claim({ run: 'given up', ...which }))).rejects.toThrow();
          } finally {
            await resume();
          }
          const answers = async () =>
            Promise.resolve(store.get('a')).then(
              () => true,
              () => false,
            );
          await until(answers);
          // It is done before anything that is sent later, or on a connection of its own soon.
          await wait(300);
          expect(await store.get('a')).toMatchObject({ run: null, attempts: 0 });
          expect(claimedIds(await store.claim(claim({ run: 'next', ...which })))).toEqual(['a']);
        },
      );
    });

    describe('keeps leases', () => {
      test('as long as they are renewed, and tells the runs that have none', async () => {
        const store = await create();
        for (const taskId of ['a', 'b', 'c', 'd']) await store.create(stored(taskId), 0);
        await store.claim(claim({ run: 'one', limit: 4, leaseMs: 60 }));
        const runs = ['a', 'b', 'c', 'd'].map((taskId) => ({ taskId, run: 'one' }));
        await store.replace(stored('a', { version: 3, run: null }, { status: 'completed' }), null);
        await store.replace(stored('b', { version: 3, run: null }), 0);
        await store.claim(claim({ run: 'two', taskId: 'b' }));
        const lost = await store.renew([...runs, { taskId: 'none', run: 'one' }], 60_000);
        expect(lost.map(({ taskId }) => taskId).sort()).toEqual(['a', 'b', 'none']);
        await wait(100);
        expect(await store.claim(claim({ run: 'three', limit: 4 }))).toEqual([]);
        expect(await store.renew([], 60_000)).toEqual([]);
      });

      test('by writes of the run, too, whose time is left as it is', async () => {
        const store = await create();
        await store.create(stored('a'), 0);
        const [{ notBefore = 0 } = {}] = await store.claim(claim({ run: 'one', leaseMs: 60_000 }));
        await store.replace(stored('a', { version: 3, run: 'one', journal: 'later' }));
        expect(await store.get('a')).toMatchObject({ notBefore, journal: 'later' });
      });
    });

    describe('lists all tasks', () => {
      const all = async (store: TaskStore, limit: number): Promise<string[]> => {
        const found: string[] = [];
        for (let cursor: string | undefined; ;) {
          const page = await store.list(limit, cursor);
          expect(page.tasks.length).toBeLessThanOrEqual(limit);
          found.push(...page.tasks.map(({ task }) => task.taskId));
          if (page.cursor === undefined) return found;
          cursor = page.cursor;
        }
      };

      test.each([1, 2, 3, 10])('each once, the oldest first, in pages of at most %d', async (limit) => {
        const store = await create();
        const taskIds = ['a', 'b', 'c', 'd', 'e', 'f'];
        for (const taskId of taskIds) await store.create(stored(taskId), 0);
        await store.replace(stored('c', { version: 2 }, { status: 'failed' }), null);
        await store.claim(claim({ limit: 2 }));
        expect(await all(store, limit)).toEqual(taskIds);
      });

      test('where there are none', async () => {
        const store = await create();
        expect(await store.list(10)).toEqual({ tasks: [] });
      });
    });

    test('counts the tasks that it keeps, and those that wait', async () => {
      const store = await create();
      expect(await store.backlog?.()).toEqual({ kept: keptOf({}), due: 0, oldestMs: 0 });
      for (const [taskId, delayMs] of [
        ['first', 0],
        ['never', null],
        ['later', 60_000],
      ] as const)
        await store.create(stored(taskId, { owner: 'ada' }), delayMs);
      await wait(60);
      await store.create(stored('second', { owner: 'bob' }), 0);
      const backlog = await store.backlog?.();
      expect(backlog).toEqual({ kept: keptOf({ working: 4 }), due: 2, oldestMs: expect.any(Number) });
      expect(backlog?.oldestMs).toBeGreaterThanOrEqual(50);
      expect(backlog?.oldestMs).toBeLessThan(30_000);
      await store.claim(claim({ limit: 2, leaseMs: 60_000 }));
      expect(await store.backlog?.()).toEqual({ kept: keptOf({ working: 4 }), due: 0, oldestMs: 0 });
    });

    test('counts the tasks that it keeps by their status, until they are gone', async () => {
      const store = await create({ maxTasks: 6, maxTasksPerOwner: 6 });
      const statuses = ['working', 'input_required', 'completed', 'cancelled', 'failed'] as const;
      const counts = async () => (await store.backlog?.())?.kept;
      for (const [at, status] of statuses.entries())
        await store.create(stored(`t${at}`, { owner: 'ada' }, { status }), null);
      expect(await counts()).toEqual({
        working: 1,
        input_required: 1,
        completed: 1,
        cancelled: 1,
        failed: 1,
      });
      // A change of something else, and one that does not count.
      await store.replace(stored('t0', { version: 2 }), null);
      await store.replace(stored('t0', { version: 2 }, { status: 'failed' }), null);
      await store.replace(stored('t1', { version: 2 }, { status: 'working' }), null);
      expect(await counts()).toEqual(keptOf({ working: 2, completed: 1, cancelled: 1, failed: 1 }));
      await store.replace(stored('t1', { version: 3 }, { status: 'completed' }), null);
      expect(await counts()).toEqual(keptOf({ working: 1, completed: 2, cancelled: 1, failed: 1 }));
      // Two that have finished give way, the oldest first: t1 and t2.
      for (const taskId of ['a', 'b', 'c']) await store.create(stored(taskId, { owner: 'ada' }), null);
      expect(await counts()).toEqual(keptOf({ working: 4, cancelled: 1, failed: 1 }));
      await store.create(stored('brief', { owner: 'ada' }, { ttlMs: 20 }), null);
      await wait(40);
      expect(await counts()).toEqual(keptOf({ working: 4, failed: 1 }));
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
        for (const taskId of ['a', 'b']) await store.create(stored(taskId), 0);
        await expect(async () => store.create(stored('c'), 0)).rejects.toThrow(OverloadedError);
        expect(await kept(store, 'a', 'b', 'c')).toEqual(['a', 'b']);
      });

      test('another one once a task has expired', async () => {
        const store = await create({ maxTasks: 1, maxTasksPerOwner: 1 });
        await store.create(stored('a', { owner: 'ada' }, { ttlMs: 20 }), 0);
        await wait(40);
        await store.create(stored('b', { owner: 'ada' }), 0);
        expect(await kept(store, 'a', 'b')).toEqual(['b']);
      });

      test('so many of one owner: the oldest that has finished gives way to the next', async () => {
        const store = await create({ maxTasks: 12, maxTasksPerOwner: 3 });
        for (const taskId of ['a', 'b', 'c', 'd', 'e']) await store.create(finished(taskId, 'ada'), 0);
        await store.create(finished('x', 'bob'), 0);
        expect(await kept(store, 'a', 'b', 'c', 'd', 'e', 'x')).toEqual(['c', 'd', 'e', 'x']);
      });

      test('those at work, which do not give way', async () => {
        const store = await create({ maxTasks: 100, maxTasksPerOwner: 2 });
        await store.create(stored('work', { owner: 'ada' }), 0);
        await store.create(finished('done', 'ada'), 0);
        await store.create(stored('more', { owner: 'ada' }), 0);
        await expect(async () => store.create(stored('last', { owner: 'ada' }), 0)).rejects.toThrow(
          OverloadedError,
        );
        expect(await kept(store, 'work', 'done', 'more', 'last')).toEqual(['work', 'more']);
      });

      test('those of other owners, which do not give way; all whose owner is not known are one', async () => {
        const store = await create({ maxTasks: 4, maxTasksPerOwner: 4 });
        for (const taskId of ['a', 'b', 'c']) await store.create(finished(taskId, 'ada'), 0);
        await store.create(finished('d'), 0);
        await expect(async () => store.create(finished('e', 'bob'), 0)).rejects.toThrow(OverloadedError);
        await store.create(finished('f', 'ada'), 0);
        await store.create(finished('g'), 0);
        expect(await kept(store, 'a', 'b', 'c', 'd', 'e', 'f', 'g')).toEqual(['b', 'c', 'f', 'g']);
      });

      test('so much of one owner: what has finished gives way to a longer version of another', async () => {
        const store = await create({ maxLength: 400_000, maxLengthPerOwner: 100_000 });
        await store.create(finished('old', 'ada', 'x'.repeat(40_000)), 0);
        await store.create(stored('work', { owner: 'ada' }), 0);
        const long = (length: number, version: number) =>
          stored('work', { owner: 'ada', version, journal: 'x'.repeat(length) });
        expect(await store.replace(long(80_000, 2))).toBe(true);
        expect(await kept(store, 'old', 'work')).toEqual(['work']);
        await expect(async () => store.replace(long(120_000, 3))).rejects.toThrow(OverloadedError);
        expect(await store.get('work')).toMatchObject({ version: 2 });
      });

      test('so much in all', async () => {
        const store = await create({ maxLength: 200_000, maxLengthPerOwner: 100_000 });
        for (const owner of ['ada', 'bob']) await store.create(finished(owner, owner, 'x'.repeat(80_000)), 0);
        await expect(async () => store.create(finished('eve', 'eve', 'x'.repeat(80_000)), 0)).rejects.toThrow(
          OverloadedError,
        );
        expect(await kept(store, 'ada', 'bob', 'eve')).toEqual(['ada', 'bob']);
      });

      test('those it has where a new one has no room all the same', async () => {
        const store = await create({ maxLength: 400_000, maxLengthPerOwner: 100_000 });
        for (const taskId of ['a', 'b']) await store.create(finished(taskId, 'ada'), 0);
        const long = finished('long', 'ada', 'x'.repeat(120_000));
        await expect(async () => store.create(long, 0)).rejects.toThrow(OverloadedError);
        expect(await kept(store, 'a', 'b', 'long')).toEqual(['a', 'b']);
      });

      test('no more by versions that are replaced', async () => {
        const store = await create({ maxLength: 400_000, maxLengthPerOwner: 100_000 });
        await store.create(stored('a', { owner: 'ada', journal: 'x'.repeat(60_000) }), 0);
        for (let version = 2; version < 12; version += 1) {
          const next = stored('a', { owner: 'ada', version, journal: 'y'.repeat(60_000 - version) });
          expect(await store.replace(next)).toBe(true);
        }
      });

      test('no more than its bounds when many are created at the same time', async () => {
        const store = await create({ maxTasks: 10, maxTasksPerOwner: 4 });
        const outcomes = await Promise.allSettled(
          ['ada', 'bob', 'eve'].flatMap((owner) =>
            Array.from({ length: 8 }, async (_, at) => store.create(stored(`${owner}${at}`, { owner }), 0)),
          ),
        );
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
        expect((await store.list(100)).tasks).toHaveLength(10);
      });
    });
  });
}

/** What a process claims, unless a test says otherwise. */
const claim = (rest: Partial<TaskClaim>): TaskClaim => ({ run: 'run', limit: 1, leaseMs: 60_000, ...rest });

const claimedIds = (tasks: readonly StoredTask[]): string[] => tasks.map(({ task }) => task.taskId);

/** Counts by status, where the rest is none. */
function keptOf(counts: Partial<Record<TaskStatus, number>>): Record<TaskStatus, number> {
  return { working: 0, input_required: 0, completed: 0, cancelled: 0, failed: 0, ...counts };
}

/** A task that has just begun. */
export function stored(
  taskId: string,
  rest: Partial<Omit<TaskRecord, 'task'>> = {},
  state: Partial<TaskState> = {},
): TaskRecord {
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
    run: null,
    attempts: 0,
    call: '',
    journal: '',
    ...rest,
  };
}
