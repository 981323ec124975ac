import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { clackPrompter } from '../../src/terminal/clack-prompter.js';

const ENTER = '\r';
const DOWN = '\u001b[B';
const CTRL_C = '\u0003';
const ERASE_LINE = '\u0015';

/** A desk whose keys are pressed by the test. */
function desk() {
  const input = new PassThrough();
  const output = new PassThrough();
  const shown = { text: '' };
  output.setEncoding('utf8').on('data', (text: string) => (shown.text += stripVTControlCharacters(text)));
  const leaving = new AbortController();
  const prompter = clackPrompter({ input, output, signal: leaving.signal });
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      input.write(key);
    }
  };
  return { prompter, press, leaving, shown };
}

const anything = (): undefined => undefined;

describe('questions on a terminal', () => {
  test('take what is typed', async () => {
    const { prompter, press, shown } = desk();
    const answer = prompter.text('Where?', './app', anything);
    await press('m', 'y', ENTER);
    expect(await answer).toBe('my');
    expect(shown.text).toContain('Where?');
  });

  test('take the fallback for an empty answer, which is judged too', async () => {
    const { prompter, press } = desk();
    const judged: string[] = [];
    const answer = prompter.text('Where?', './app', (said) => void judged.push(said));
    await press(ENTER);
    expect(await answer).toBe('./app');
    expect(judged).toEqual(['./app']);
  });

  test('stay with what is wrong until the answer is right', async () => {
    const { prompter, press, shown } = desk();
    const answer = prompter.text('Where?', './app', (said) => (said === 'bad' ? 'use good' : undefined));
    await press('bad', ENTER, ERASE_LINE, 'good', ENTER);
    expect(await answer).toBe('good');
    expect(shown.text).toContain('use good');
  });

  test('show all choices with their hints, and take the one that is gone to', async () => {
    const { prompter, press, shown } = desk();
    const options = [
      { value: 'minimal', hint: 'One tool' },
      { value: 'http', hint: 'Over HTTP' },
    ];
    const answer = prompter.choice('What?', options);
    await press(DOWN, ENTER);
    expect(await answer).toBe('http');
    expect(shown.text).toContain('minimal  One tool');
    expect(shown.text).toContain('http  Over HTTP');
  });

  test('are left by Ctrl-C', async () => {
    const { prompter, press } = desk();
    const text = expect(prompter.text('Where?', './app', anything)).rejects.toMatchObject({
      code: 'INTERRUPTED',
    });
    await press(CTRL_C);
    await text;
    const choice = expect(prompter.choice('What?', [{ value: 'a' }])).rejects.toMatchObject({
      code: 'INTERRUPTED',
    });
    await press(CTRL_C);
    await choice;
  });

  test('are left when the command is to end', async () => {
    const { prompter, leaving } = desk();
    const answer = expect(prompter.text('Where?', './app', anything)).rejects.toMatchObject({
      code: 'INTERRUPTED',
    });
    leaving.abort();
    await answer;
  });
});
