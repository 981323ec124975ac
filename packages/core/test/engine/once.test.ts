import { describe, expect, test } from '@jest/globals';
import { defineTool, type ToolContext } from '../../src/index.js';
import { appOf, statelessClient, textOf } from '../harness.js';

/** Calls a tool that runs a side effect once. @returns what it gave, or the words of its error. */
async function onceWith(key: unknown, result: unknown): Promise<string> {
  const handle = (_args: unknown, context: ToolContext): Promise<unknown> =>
    context
      .once(key as string, () => result)
      .then(
        (value) => JSON.stringify(value),
        (error: Error) => `${error.name}: ${error.message}`,
      );
  const app = await appOf({ definitions: [defineTool({ name: 'pay', handle })] });
  const text = String(
    textOf(await statelessClient(app).result('tools/call', { name: 'pay', arguments: {} })),
  );
  await app.close();
  return text;
}

describe('once()', () => {
  test.each([
    ['a value of type undefined', undefined],
    ['null', null],
    ['a value of type number', 5],
    ['a value of type symbol', Symbol('order')],
    ['a value of type object', { id: 1 }],
    ['an empty string', ''],
  ])('refuses a key that is %s', async (given, key) => {
    expect(await onceWith(key, 1)).toBe(
      `TypeError: the key of ctx.once() must be a non-empty string that identifies the side effect; it is ${given}`,
    );
  });

  test.each([
    ['a function', () => 1, 'the value cannot be written as JSON: it is a function'],
    ['a function within', { run: () => 1 }, "'run' cannot be written as JSON: it is a function"],
    ['an invalid date', new Date('x'), 'the value cannot be written as JSON: it is an invalid date'],
    [
      'an invalid date within',
      { at: [new Date('x')] },
      "'at[0]' cannot be written as JSON: it is an invalid date",
    ],
    [
      'a promise within',
      { a: Promise.resolve(1) },
      "'a' cannot be written as JSON: it is a promise: await it",
    ],
    [
      'a promise in a Map',
      { of: new Map([['b', Promise.resolve(1)]]) },
      "'of.b' cannot be written as JSON: it is a promise",
    ],
  ])('refuses a result that is or has %s', async (_what, result, message) => {
    const text = await onceWith('pay', result);
    expect(text).toContain(`The result of once('pay') cannot be stored: ${message}`);
  });

  test('remembers what JSON can carry', async () => {
    const result = { at: new Date(0), of: new Map([['a', 1]]), count: 5n };
    expect(await onceWith('pay', result)).toBe('{"at":"1970-01-01T00:00:00.000Z","of":{"a":1},"count":"5"}');
  });
});
