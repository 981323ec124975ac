import { describe, expect, jest, test } from '@jest/globals';
import { Deadlines } from '../../src/transport/deadlines.js';

describe('Deadlines', () => {
  test('calls back when the time is over, and not for what was done before', () => {
    jest.useFakeTimers();
    try {
      const late: string[] = [];
      const deadlines = new Deadlines(100);
      const done = deadlines.add(() => late.push('done'));
      jest.advanceTimersByTime(60);
      deadlines.add(() => late.push('slow'));
      deadlines.delete(done);
      jest.advanceTimersByTime(99);
      expect(late).toEqual([]);
      jest.advanceTimersByTime(1);
      expect(late).toEqual(['slow']);
    } finally {
      jest.useRealTimers();
    }
  });

  test('goes on with what is added while it calls back', () => {
    jest.useFakeTimers();
    try {
      const late: number[] = [];
      const deadlines = new Deadlines(100);
      const again = (): void => {
        late.push(performance.now());
        deadlines.add(again);
      };
      const start = performance.now();
      deadlines.add(again);
      jest.advanceTimersByTime(350);
      expect(late.map((at) => Math.round(at - start))).toEqual([100, 200, 300]);
    } finally {
      jest.useRealTimers();
    }
  });

  test('has one timer, however many wait, and none once nothing waits', () => {
    jest.useFakeTimers();
    try {
      const deadlines = new Deadlines(100);
      const open = Array.from({ length: 1000 }, () => deadlines.add(() => undefined));
      expect(jest.getTimerCount()).toBe(1);
      for (const deadline of open) deadlines.delete(deadline);
      jest.advanceTimersByTime(100);
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });
});
