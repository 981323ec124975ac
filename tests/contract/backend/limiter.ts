import { describe, expect, test } from '@jest/globals';
import type { LimitDecision, Limiter } from '@sigil/core/backend';
import fc from 'fast-check';
import { wait } from './waiting.js';

/** So long that nothing comes back during a test. */
const HOUR = 3_600_000;

/**
 * What every limiter must do, wherever it counts.
 *
 * @param create makes two ends of one that has counted nothing yet, as two processes have them.
 */
export function describeLimiter(
  name: string,
  create: () => readonly [Limiter, Limiter] | Promise<readonly [Limiter, Limiter]>,
): void {
  describe(`${name} is a limiter that`, () => {
    test('allows so many at once, and then refuses', async () => {
      const [limiter] = await create();
      const rate = { limit: 3, windowMs: HOUR };
      const decisions: LimitDecision[] = [];
      for (let at = 0; at < 4; at += 1) decisions.push(await limiter.take('a', rate));
      expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, true, false]);
      expect(decisions.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0]);
      expect(decisions.slice(0, 3).map(({ retryAfterMs }) => retryAfterMs)).toEqual([0, 0, 0]);
      const { retryAfterMs = 0 } = decisions[3] ?? {};
      expect(retryAfterMs).toBeGreaterThan(HOUR / 3 - 60_000);
      expect(retryAfterMs).toBeLessThanOrEqual(HOUR / 3);
    });

    test('allows a burst that is smaller or larger than the limit', async () => {
      const [limiter] = await create();
      const admitted = async (key: string, burst: number) => {
        let count = 0;
        while ((await limiter.take(key, { limit: 4, windowMs: HOUR, burst })).allowed) count += 1;
        return count;
      };
      expect([await admitted('small', 2), await admitted('large', 7)]).toEqual([2, 7]);
    });

    test('counts keys apart, whatever they are called', async () => {
      const [limiter] = await create();
      for (const key of ['a', 'A', 'a ', '', '__proto__', 'constructor', "o'neill", 'Grüße 🌍']) {
        const decisions = [1, 2].map(async () => limiter.take(key, { limit: 1, windowMs: HOUR }));
        const allowed = (await Promise.all(decisions)).filter((decision) => decision.allowed);
        expect([key, allowed.length]).toEqual([key, 1]);
      }
    });

    test('allows again once the time has passed that it names', async () => {
      const [limiter] = await create();
      const rate = { limit: 2, windowMs: 800 };
      for (let round = 0; round < 2; round += 1) {
        let decision = await limiter.take('a', rate);
        while (decision.allowed) decision = await limiter.take('a', rate);
        expect(decision.retryAfterMs).toBeGreaterThan(0);
        expect(decision.retryAfterMs).toBeLessThanOrEqual(400);
        // A timer may fire a millisecond early.
        await wait(decision.retryAfterMs + 1);
        expect(await limiter.take('a', rate)).toMatchObject({ allowed: true });
      }
    });

    test('never allows more than the burst and what has come back since', async () => {
      const [limiter] = await create();
      const rate = { limit: 100, windowMs: 1000, burst: 5 };
      const began = performance.now();
      let admitted = 0;
      for (let asked = 0; asked < 10 || performance.now() - began < 300; asked += 1)
        admitted += (await limiter.take('a', rate)).allowed ? 1 : 0;
      const elapsedMs = performance.now() - began;
      expect(admitted).toBeGreaterThanOrEqual(5);
      expect(admitted).toBeLessThanOrEqual(5 + Math.ceil(elapsedMs / 10));
    });

    test('allows exactly the limit to many who ask both of its ends at the same time', async () => {
      const ends = await create();
      const rate = { limit: 20, windowMs: HOUR };
      const decisions = await Promise.all(
        Array.from({ length: 100 }, async (_, at) => ends[at % 2 === 0 ? 0 : 1].take('a', rate)),
      );
      expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(20);
      expect(
        decisions
          .filter(({ allowed }) => allowed)
          .map(({ remaining }) => remaining)
          .sort((a, b) => a - b),
      ).toEqual(Array.from({ length: 20 }, (_, at) => at));
    });

    test('decides like one that adds up the costs, whatever is asked in which order', async () => {
      const ends = await create();
      const question = fc.record({
        key: fc.constantFrom('a', 'b'),
        end: fc.constantFrom(0 as const, 1 as const),
        cost: fc.integer({ min: 1, max: 6 }),
      });
      const rates = fc.record({
        limit: fc.integer({ min: 1, max: 12 }),
        burst: fc.integer({ min: 1, max: 12 }),
      });
      let run = 0;
      await fc.assert(
        fc.asyncProperty(rates, fc.array(question, { maxLength: 20 }), async (rate, questions) => {
          run += 1;
          const used = new Map<string, number>();
          for (const { key, end, cost } of questions) {
            const before = used.get(key) ?? 0;
            const allowed = before + cost <= rate.burst;
            const after = allowed ? before + cost : before;
            used.set(key, after);
            const decision = await ends[end].take(`${run} ${key}`, { ...rate, windowMs: HOUR }, cost);
            expect(decision).toMatchObject({ allowed, remaining: rate.burst - after });
          }
        }),
        { numRuns: 30 },
      );
    });
  });
}
