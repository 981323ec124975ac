import { expect, test } from '@jest/globals';
import { createApp, defineTool } from '@sigil/core';
import { durableObject } from '@sigil/workers';
import { call, Context, type Env } from './calling.js';

/** The state of an object, with storage of a kind. */
class State extends Context {
  readonly storage = { greeted: 0 };
}

const Greeter = durableObject<Env, State>(
  ({ storage }, { GREETING }) =>
    createApp({
      name: 'greeter',
      version: '1.0.0',
      definitions: [
        defineTool({ name: 'greet', handle: () => `${GREETING} for the time ${++storage.greeted}` }),
      ],
    }),
  () => ({ allowedHosts: ['greeting.example'] }),
);

const textOf = async (answer: Promise<Response>): Promise<unknown> =>
  ((await (await answer).json()) as { result: { content: { text: string }[] } }).result.content[0]?.text;

test('makes an app for each object, of its state and the bindings', async () => {
  const [one, other] = [new State(), new State()];
  const object = new Greeter(one, { GREETING: 'Moin' });
  expect(await textOf(object.fetch(call('/mcp')))).toBe('Moin for the time 1');
  expect(await textOf(object.fetch(call('/mcp')))).toBe('Moin for the time 2');
  expect(await textOf(new Greeter(other, { GREETING: 'Hello' }).fetch(call('/mcp')))).toBe(
    'Hello for the time 1',
  );
  expect(one.waited).toHaveLength(2);
  expect(other.waited).toHaveLength(1);
});

test('makes the app again when that has failed, and tells the platform why', async () => {
  let isOpen = false;
  const Late = durableObject<Env, State>(
    () => {
      if (!isOpen) throw new Error('no storage yet');
      return createApp({
        name: 'late',
        version: '1.0.0',
        definitions: [defineTool({ name: 'greet', handle: () => 'Moin' })],
      });
    },
    { allowedHosts: ['greeting.example'] },
  );
  const object = new Late(new State(), { GREETING: '' });
  await expect(object.fetch(call('/mcp'))).rejects.toThrow('no storage yet');
  isOpen = true;
  expect(await textOf(object.fetch(call('/mcp')))).toBe('Moin');
});
