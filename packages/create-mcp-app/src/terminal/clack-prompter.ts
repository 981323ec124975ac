import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';
import { type CANCEL_SYMBOL, intro, isCancel, log, select, text } from '@clack/prompts';
import { interrupted } from '../failures.js';
import type { Prompter } from '../host.js';

/** The streams for questions to the user and their answers. */
export interface Desk {
  readonly input: Readable;
  readonly output: Writable;
  /** Cancels the open question. */
  readonly signal: AbortSignal;
}

/** Asks questions on a terminal: Enter confirms, the arrow keys select, and Ctrl-C cancels. */
export function clackPrompter(desk: Desk): Prompter {
  return {
    open: (title) => intro(title, desk),
    warn: (line) => log.warn(line, desk),
    text: async (message, fallback, problem) =>
      settled(
        await text({
          ...desk,
          message,
          placeholder: fallback,
          defaultValue: fallback,
          validate: (answer) => problem(answer || fallback),
        }),
      ),
    choice: async (message, options) =>
      settled(
        await select<string>({
          ...desk,
          message,
          options: options.map(({ value, hint }) => ({ value, label: labelOf(value, hint) })),
          showInstructions: false,
        }),
      ) as (typeof options)[number]['value'],
  };
}

/** Returns a label that contains the hint, because the library only shows the hint of the selected option. */
function labelOf(value: string, hint: string | undefined): string {
  return hint === undefined ? value : `${value}  ${styleText('dim', hint)}`;
}

function settled<T>(answer: T | typeof CANCEL_SYMBOL): T {
  if (isCancel(answer)) throw interrupted();
  return answer;
}
