import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { ViewMessages } from '../../page/src/views/view-messages.js';

let read: unknown[];
let refused: string[];
let dropped: number[];
let messages: ViewMessages;
beforeEach(() => {
  [read, refused, dropped] = [[], [], []];
  messages = new ViewMessages({
    read: (message) => read.push(message),
    refused: (reason) => refused.push(reason),
    dropped: (count) => dropped.push(count),
  });
});
afterEach(() => messages.close());

test('a flood is cut off at some hundred messages a second, and the rest is counted at once', async () => {
  let taken = 0;
  for (let at = 0; at < 20_000; at += 1) taken += messages.receive({ at }) ? 1 : 0;
  expect(taken).toBe(200);
  expect(read).toEqual([]);
  await delay(100);
  expect(read).toHaveLength(200);
  expect(dropped).toEqual([19_800]);

  await delay(1000);
  expect(messages.receive({ at: 'later' })).toBe(true);
  await delay(100);
  expect(read.at(-1)).toEqual({ at: 'later' });
});

test('a message is copied as JSON, and refused where it is none', async () => {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  for (const one of [cycle, { big: 1n }, undefined, 'text', { at: new Date(0), none: undefined }])
    messages.receive(one);
  await delay(100);
  expect(refused).toEqual([expect.stringContaining('circular'), expect.stringContaining('BigInt')]);
  expect(read).toEqual([{ at: '1970-01-01T00:00:00.000Z' }]);
});
