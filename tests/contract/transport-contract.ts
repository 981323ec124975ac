import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createFixture, type Fixture } from './app.js';
import type { Contestant, ContractClient, Message } from './client.js';

const UNICODE = 'Grüße 🌍 \u2028\u2029 \u0000 \r\n "quoted" 👩‍💻 \ud83d\ude00';
const MEGABYTE = 1024 * 1024;

/** What every transport must do, whatever it is made of. A new one is done when it passes this. */
export function describeTransport({ name, era, open }: Contestant): void {
  describe(`the contract of transports: ${name}`, () => {
    let fixture: Fixture;
    let client: ContractClient;
    let questions: Message[];

    beforeEach(async () => {
      questions = [];
      fixture = await createFixture();
      client = await open(fixture.app, (question) => {
        questions.push(question);
        return { action: 'accept', content: { name: 'Ada' } };
      });
    });

    afterEach(async () => {
      await client.close();
      await fixture.app.close();
    });

    const call = (tool: string, args: object = {}, id?: string | number) =>
      client.start('tools/call', { name: tool, arguments: args }, id);
    const echo = async (text: string): Promise<unknown> => textOf(await call('echo', { text }).response);
    const hold = async () => {
      const pending = call('hold');
      return { pending, held: await fixture.holds.next() };
    };

    test('a request gets its response, under its id', async () => {
      const { id, response } = call('echo', { text: 'hello' });
      const message = await response;
      expect(message).toMatchObject({ jsonrpc: '2.0', id });
      expect(textOf(message)).toBe('hello');
    });

    test.each([0, 7, '', 'text', '7'])('the id %j comes back as it was', async (id) => {
      expect((await call('echo', { text: 'a' }, id).response)?.id).toBe(id);
    });

    test('errors of the protocol come back as such', async () => {
      const { id, response } = client.start('no/such');
      expect(await response).toMatchObject({ id, error: { code: -32601 } });
    });

    test('an unexpected error says nothing of itself', async () => {
      const message = await call('fail').response;
      expect(message?.result).toMatchObject({ isError: true });
      expect(JSON.stringify(message)).not.toContain('secret');
    });

    test('progress comes before the response, in order', async () => {
      const { early, response } = call('count');
      expect(textOf(await response)).toBe('counted');
      expect(early.map(({ params }) => params?.['progress'])).toEqual([1, 2, 3, 4, 5]);
    });

    test('requests run side by side, and a slow one holds up no other', async () => {
      const { pending, held } = await hold();
      const texts = Array.from({ length: 50 }, (_, at) => `text ${at}`);
      expect(await Promise.all(texts.map(echo))).toEqual(texts);
      held.release();
      expect(textOf(await pending.response)).toBe('held');
    });

    test('progress of requests side by side is not mixed up', async () => {
      const calls = Array.from({ length: 10 }, () => call('count'));
      await Promise.all(calls.map(({ response }) => response));
      for (const { id, early } of calls) {
        expect(early.map(({ params }) => params?.['progressToken'])).toEqual(Array(5).fill(id));
      }
      expect(client.strays).toEqual([]);
    });

    test('a cancelled request is aborted and gets no response', async () => {
      const { pending, held } = await hold();
      pending.cancel();
      expect(await pending.response).toBeUndefined();
      await until(() => held.signal.aborted);
      expect(await echo('next')).toBe('next');
      expect(client.strays).toEqual([]);
    });

    test('cancelling one request leaves the others alone', async () => {
      const one = await hold();
      const other = await hold();
      one.pending.cancel();
      await until(() => one.held.signal.aborted);
      expect(other.held.signal.aborted).toBe(false);
      other.held.release();
      expect(textOf(await other.pending.response)).toBe('held');
    });

    test('cancelling what has been answered does nothing', async () => {
      const pending = call('echo', { text: 'a' });
      await pending.response;
      pending.cancel();
      expect(await echo('next')).toBe('next');
    });

    test('values that are no messages end nothing', async () => {
      const values = [
        5,
        'text',
        null,
        true,
        {},
        [],
        { jsonrpc: '1.0', id: 1, method: 'ping' },
        { jsonrpc: '2.0', id: {} },
      ];
      for (const value of values) await client.sendValue(value);
      expect(await echo('next')).toBe('next');
    });

    test('text that is no JSON ends nothing', async () => {
      for (const text of ['{', 'nonsense', '{"jsonrpc":"2.0",', '\u0000', ']'])
        await client.sendGarbage?.(text);
      expect(await echo('next')).toBe('next');
    });

    test('answers to questions nobody asked end nothing', async () => {
      await client.sendValue({ jsonrpc: '2.0', id: 4711, result: {} });
      await client.sendValue({ jsonrpc: '2.0', id: 4711, error: { code: 1, message: 'no' } });
      expect(await echo('next')).toBe('next');
    });

    test('notifications nobody knows get no response', async () => {
      await client.sendValue({ jsonrpc: '2.0', method: 'notifications/of/the/future', params: {} });
      expect(await echo('next')).toBe('next');
      expect(client.strays).toEqual([]);
    });

    test('text of any kind comes back as it was', async () => expect(await echo(UNICODE)).toBe(UNICODE));

    test('a megabyte goes there and back', async () => {
      const text = 'ä'.repeat(MEGABYTE / 2);
      expect((await echo(text)) === text).toBe(true);
    });

    test('megabytes side by side stay apart', async () => {
      const texts = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(MEGABYTE));
      const got = await Promise.all(texts.map(echo));
      expect(got.map((text, at) => text === texts[at])).toEqual([true, true, true, true]);
    });

    test('closing lets requests in flight finish', async () => {
      const { pending, held } = await hold();
      const closing = client.close();
      held.release();
      expect(textOf(await pending.response)).toBe('held');
      await closing;
    });

    test('closing twice is closing once', async () => {
      await Promise.all([client.close(), client.close()]);
    });

    if (era === 'legacy') {
      test('a handler asks the client, and gets its answer', async () => {
        expect(textOf(await call('ask').response)).toBe('Hello, Ada');
        expect(questions).toHaveLength(1);
        expect(questions[0]).toMatchObject({
          method: 'elicitation/create',
          params: { message: 'Your name?' },
        });
      });

      test('questions of requests side by side are not mixed up', async () => {
        const answers = await Promise.all(Array.from({ length: 5 }, () => call('ask').response));
        expect(answers.map(textOf)).toEqual(Array(5).fill('Hello, Ada'));
        expect(new Set(questions.map(({ id }) => id)).size).toBe(5);
      });
    } else {
      test('the server never sends a request', async () => {
        await call('ask').response;
        expect(questions).toEqual([]);
      });
    }
  });
}

function textOf(message: Message | undefined): unknown {
  const content = message?.result?.['content'] as { text?: unknown }[] | undefined;
  return content?.[0]?.text;
}

async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 2_000 && !holds(); turn++) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(holds()).toBe(true);
}
