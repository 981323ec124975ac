import { expect, test } from '@jest/globals';
import { owner } from '../src/auth.js';
import { runOptions } from '../src/runtime.js';

test('serves over HTTP unless an argument or a variable says otherwise', () => {
  expect(runOptions({}).transport).toBe('http');
});

test('over stdio its owner calls', () => {
  expect(runOptions({}).stdio).toEqual({ principal: owner });
});
