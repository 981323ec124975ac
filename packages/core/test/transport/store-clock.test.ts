import { expect, test } from '@jest/globals';
import { StoreClock } from '../../src/transport/store-clock.js';

/** A store whose clock is set. It notes how long each statement has, and whether it came in time. */
class Store {
  readonly asked: { readonly leftMs: number; readonly isLate: boolean }[] = [];

  constructor(public aheadMs: number) {}

  readonly claim = async (deadline: () => number) => {
    const now = Date.now() + this.aheadMs;
    const leftMs = deadline() - now;
    const answer = { now, isLate: leftMs < 0 };
    this.asked.push({ leftMs: Math.round(leftMs / 100) * 100, isLate: answer.isLate });
    return answer;
  };
}

test.each([0, -3_600_000, 3_600_000])('a clock is known after one statement: %d ms off', async (offMs) => {
  const store = new Store(offMs);
  const clock = new StoreClock();
  expect(await clock.timed(2_000, store.claim)).toMatchObject({ isLate: false });
  expect(await clock.timed(2_000, store.claim)).toMatchObject({ isLate: false });
  const [{ isLate } = {}, ...rest] = store.asked;
  expect(isLate).toBe(true);
  expect(rest).toEqual([
    { leftMs: 2_000, isLate: false },
    { leftMs: 2_000, isLate: false },
  ]);
});

test('a clock that was set ahead is heard anew, and the statement is sent once more', async () => {
  const store = new Store(0);
  const clock = new StoreClock();
  await clock.timed(2_000, store.claim);
  store.aheadMs = 10_000;
  expect(await clock.timed(2_000, store.claim)).toMatchObject({ isLate: false });
  expect(store.asked.map(({ isLate }) => isLate)).toEqual([true, false, true, false]);
});

test('what is late twice stays so', async () => {
  const isLate = { now: Date.now(), isLate: true };
  expect(await new StoreClock().timed(0, () => Promise.resolve(isLate))).toBe(isLate);
});
