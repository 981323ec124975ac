import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { askByKeys } from '../../src/questions/form.js';

const ENTER = '\r';
const DOWN = '\u001b[B';
const CTRL_C = '\u0003';

/** A user whose keys are pressed by the test. */
function user() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  output.resume();
  const ending = new AbortController();
  const interrupt = (): void => ending.abort(new Error('interrupted'));
  const ask = askByKeys({ input, output, signal: ending.signal, interrupt });
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      input.write(key);
    }
  };
  return { ask, press, ending };
}

const question = {
  message: 'How many?',
  requestedSchema: {
    type: 'object',
    properties: {
      count: { type: 'integer', minimum: 1 },
      size: { type: 'string', enum: ['small', 'large'] },
      note: { type: 'string' },
    },
    required: ['count', 'size'],
  },
};

test('a form is filled in field by field, and what is optional may be left out', async () => {
  const { ask, press } = user();
  const answer = ask(question);
  await press(ENTER, '3', ENTER, DOWN, ENTER, ENTER);
  expect(await answer).toEqual({ action: 'accept', content: { count: 3, size: 'large' } });
});

test('a question is declined, and a page is opened', async () => {
  const declined = user();
  const answer = declined.ask(question);
  await declined.press(DOWN, ENTER);
  expect(await answer).toEqual({ action: 'decline' });
  const opened = user();
  const page = opened.ask({ mode: 'url', message: 'Pay', url: 'https://pay.example.com' });
  await opened.press(ENTER);
  expect(await page).toEqual({ action: 'accept' });
});

test('Ctrl-C interrupts the call', async () => {
  const { ask, press, ending } = user();
  const answer = ask(question);
  answer.catch(() => undefined);
  await press(CTRL_C);
  await expect(answer).rejects.toThrow('interrupted');
  expect(ending.signal.aborted).toBe(true);
});
