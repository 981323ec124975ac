import { expect, test } from '@jest/globals';
import { scopesIn, scopesToAnswer, withScopes } from '../../src/internal.js';

test('a name says which scopes are needed, and stays as it is without any', () => {
  expect(scopesIn(withScopes('a', ['notes:read', 'x/y']))).toEqual(['notes:read', 'x/y']);
  for (const scopes of [undefined, [], ['no scope', '"']]) expect(withScopes('a', scopes)).toBe('a');
});

const encoded = (text: string): string => Buffer.from(text).toString('base64url');

test.each([undefined, 7, 'a', 'a~', 'a~!', 'a~a~b', `a~${encoded('a" b')}`, `a~${encoded('a\r\nb')}`])(
  '%j says nothing of scopes: a challenge repeats none that are none',
  (name) => {
    expect(scopesIn(name)).toEqual([]);
  },
);

test('an answer needs what its question says, and a batch what all of them say', () => {
  const [one, two] = [withScopes('1', ['a']), withScopes('2', ['a', 'b'])];
  const answer = (id: unknown): object => ({ jsonrpc: '2.0', id, result: {} });
  expect(scopesToAnswer(answer(one))).toEqual(['a']);
  expect(scopesToAnswer([answer(one), answer(two), answer(3), 'x'])).toEqual(['a', 'b']);
  expect(scopesToAnswer({ jsonrpc: '2.0', id: one, method: 'ping' })).toEqual([]);
  let nested: unknown = [];
  for (let level = 0; level < 100_000; level += 1) nested = [nested];
  expect(scopesToAnswer(nested)).toEqual([]);
});
