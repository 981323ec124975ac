import { describe, expect, jest, test } from '@jest/globals';
import { PendingAnswers } from '../../src/transport/pending-answers.js';

describe('PendingAnswers', () => {
  test('takes the first answer to a question, and no other', async () => {
    const pending = new PendingAnswers<number, string>();
    const ended = jest.fn();
    const answer = pending.wait(1, ended);
    expect(pending.has(1)).toBe(true);
    expect([pending.settle(1, 'first'), pending.settle(1, 'second')]).toEqual([true, false]);
    expect(pending.fail(1, new Error('late'))).toBe(false);
    pending.failAll(new Error('the connection is closed'));
    expect(pending.has(1)).toBe(false);
    expect(await answer).toBe('first');
    expect(ended).toHaveBeenCalledTimes(1);
  });

  test('takes a failure for an answer, too', async () => {
    const pending = new PendingAnswers<number, string>();
    const answer = pending.wait(1);
    const error = new Error('no');
    expect([pending.fail(1, error), pending.settle(1, 'late')]).toEqual([true, false]);
    await expect(answer).rejects.toBe(error);
  });

  test('tells questions apart by their keys', async () => {
    const pending = new PendingAnswers<number | string, string>();
    const [number, text] = [pending.wait(1), pending.wait('1')];
    expect(pending.settle(2, 'none')).toBe(false);
    pending.settle('1', 'text');
    pending.failAll(new Error('closed'));
    await expect(number).rejects.toThrow('closed');
    expect(await text).toBe('text');
  });
});
