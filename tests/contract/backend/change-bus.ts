import { describe, expect, test } from '@jest/globals';
import type { ChangeBus, ServerChange } from '@sigil/core/backend';
import { wait } from './waiting.js';

const TOOLS: ServerChange = { kind: 'list', list: 'tools' };
const CHANGES: readonly ServerChange[] = [
  TOOLS,
  { kind: 'list', list: 'prompts' },
  { kind: 'list', list: 'resources' },
  { kind: 'resource', uri: 'text://Grüße/🌍' },
  { kind: 'resource', uri: '__proto__' },
  { kind: 'task', taskId: 'a', status: 'completed', run: null },
  { kind: 'claimable' },
  { kind: 'session', sessionId: 'a' },
  { kind: 'stream', stream: 'a' },
  { kind: 'message', about: 'greeting', content: { text: 'Grüße \n 🌍', list: [1, null, {}] } },
  { kind: 'all' },
];
const messageTo = (to: string): ServerChange => ({ kind: 'message', to, about: 'greeting', content: {} });

/** Makes a bus, and gives two ends of it, as two processes have them. */
export type CreateChangeBus = () =>
  Promise<readonly [ChangeBus, ChangeBus]> | readonly [ChangeBus, ChangeBus];

/**
 * What every change bus must do, whatever carries its changes.
 *
 * @param disconnect cuts the connections by which buses listen; they come back by themselves. Absent where there are none.
 */
export function describeChangeBus(
  name: string,
  create: CreateChangeBus,
  disconnect?: () => Promise<void>,
): void {
  describe(`${name} is a change bus that`, () => {
    /** A listener that keeps what it hears. */
    const listen = async (bus: ChangeBus, node?: string) => {
      const heard: ServerChange[] = [];
      const stop = await bus.subscribe((change) => heard.push(change), node);
      return { heard, stop, hears: (count: number) => eventually(() => expect(heard).toHaveLength(count)) };
    };

    test('tells the listeners of every process, that of the change too', async () => {
      const [here, there] = await create();
      const ears = await Promise.all([listen(here), listen(here), listen(there)]);
      await here.publish(TOOLS);
      for (const { heard, hears } of ears) {
        await hears(1);
        expect(heard).toEqual([TOOLS]);
      }
    });

    test.each(CHANGES)('gives %j as it was', async (change) => {
      const [here, there] = await create();
      const ear = await listen(there);
      await here.publish(change);
      await ear.hears(1);
      expect(ear.heard).toEqual([change]);
    });

    test('loses none of many changes', async () => {
      const [here, there] = await create();
      const ear = await listen(there);
      const uris = Array.from({ length: 100 }, (_, index) => `text://${index}`);
      await Promise.all(uris.map(async (uri) => here.publish({ kind: 'resource', uri })));
      await ear.hears(100);
      expect(new Set(ear.heard.map((change) => 'uri' in change && change.uri))).toEqual(new Set(uris));
    });

    test('does not mind when nobody listens', async () => {
      const [here, there] = await create();
      await here.publish(TOOLS);
      const ear = await listen(there);
      await here.publish(CHANGES[1] as ServerChange);
      await eventually(() => expect(ear.heard).toContainEqual(CHANGES[1]));
    });

    test('tells nothing to a listener that has stopped, and all the rest to the others', async () => {
      const [here, there] = await create();
      const [gone, left] = [await listen(there), await listen(there)];
      await gone.stop();
      await here.publish(TOOLS);
      await left.hears(1);
      expect(gone.heard).toEqual([]);
    });

    test('does not mind when a listener stops twice', async () => {
      const [here] = await create();
      const [gone, left] = [await listen(here), await listen(here)];
      await gone.stop();
      await gone.stop();
      await here.publish(TOOLS);
      await left.hears(1);
    });

    test('keeps apart two subscriptions of one function', async () => {
      const [here, there] = await create();
      const heard: ServerChange[] = [];
      const listener = (change: ServerChange) => void heard.push(change);
      const stop = await here.subscribe(listener);
      await here.subscribe(listener);
      await stop();
      await there.publish(TOOLS);
      await eventually(() => expect(heard).toEqual([TOOLS]));
    });

    test('tells a message to the process it is for, and to no other', async () => {
      const [here, there] = await create();
      const [one, other] = [await listen(here, 'one'), await listen(there, 'other')];
      for (const to of ['one', 'other', 'none', '__proto__']) await here.publish(messageTo(to));
      // What follows is told to all, so that what came before has been told.
      await there.publish(messageTo('one'));
      await here.publish(TOOLS);
      await there.publish(TOOLS);
      await one.hears(4);
      await other.hears(3);
      expect(one.heard.filter(({ kind }) => kind === 'message')).toEqual([
        messageTo('one'),
        messageTo('one'),
      ]);
      expect(other.heard.filter(({ kind }) => kind === 'message')).toEqual([messageTo('other')]);
    });

    test('tells a message that is for no single process to all', async () => {
      const [here, there] = await create();
      const message: ServerChange = { kind: 'message', about: 'greeting', content: {} };
      const ears = [await listen(here, 'one'), await listen(there, 'other'), await listen(there)];
      await here.publish(message);
      for (const { heard, hears } of ears) {
        await hears(1);
        expect(heard).toEqual([message]);
      }
    });

    test('tells no messages to a process that has stopped listening, though others of its name do', async () => {
      const [here, there] = await create();
      const [gone, left] = [await listen(there, 'one'), await listen(there, 'one')];
      await gone.stop();
      await here.publish(messageTo('one'));
      await left.hears(1);
      expect(gone.heard).toEqual([]);
    });

    if (disconnect === undefined) return;

    test('tells its listeners that anything may have changed after it was disconnected, and goes on', async () => {
      const [here, there] = await create();
      const ears = [await listen(here, 'one'), await listen(there, 'other')];
      await disconnect();
      for (const { heard } of ears) await eventually(() => expect(heard).toContainEqual({ kind: 'all' }));
      await here.publish(TOOLS);
      await here.publish(messageTo('other'));
      for (const { heard } of ears) await eventually(() => expect(heard).toContainEqual(TOOLS));
      await eventually(() => expect(ears[1]?.heard).toContainEqual(messageTo('other')));
    });

    test('tells a message that is repeated within two seconds of being disconnected', async () => {
      const [here, there] = await create();
      const ear = await listen(there, 'one');
      await disconnect();
      const began = performance.now();
      while (!ear.heard.some(({ kind }) => kind === 'message')) {
        await here.publish(messageTo('one'));
        await wait(100);
      }
      expect(performance.now() - began).toBeLessThan(2_000);
    });

    test('hears nothing for a listener that stopped before it was disconnected', async () => {
      const [here, there] = await create();
      const [gone, left] = [await listen(there), await listen(there)];
      await gone.stop();
      await disconnect();
      await eventually(() => expect(left.heard).toContainEqual({ kind: 'all' }));
      await here.publish(TOOLS);
      await eventually(() => expect(left.heard).toContainEqual(TOOLS));
      expect(gone.heard).toEqual([]);
    });
  });
}

/** Waits until something holds; says what does not when it takes too long. */
async function eventually(holds: () => void): Promise<void> {
  for (const deadline = Date.now() + 10_000; ;) {
    try {
      return holds();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
