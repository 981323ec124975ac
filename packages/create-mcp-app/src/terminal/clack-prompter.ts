import { styleText } from 'node:util';
import { type CANCEL_SYMBOL, intro, isCancel, log, select, text } from '@clack/prompts';
import { interrupted } from '../process/interruption.js';
import type { Prompter } from './prompter.js';

/** Asks on the terminal of this process. @param signal leaves the question that is open. */
export function clackPrompter(signal: AbortSignal): Prompter {
  return {
    open: (title) => intro(title),
    warn: (line) => log.warn(line),
    text: async (message, fallback, problem) =>
      settled(
        await text({
          message,
          signal,
          placeholder: fallback,
          defaultValue: fallback,
          validate: (answer) => problem(answer || fallback),
        }),
      ),
    choice: async (message, options) =>
      settled(
        await select<string>({
          message,
          signal,
          options: options.map(({ value, hint }) => ({ value, label: labelOf(value, hint) })),
          showInstructions: false,
        }),
      ) as (typeof options)[number]['value'],
  };
}

/** The library shows the hint of the chosen one alone; to choose, one has to see all. */
function labelOf(value: string, hint: string | undefined): string {
  return hint === undefined ? value : `${value}  ${styleText('dim', hint)}`;
}

function settled<T>(answer: T | typeof CANCEL_SYMBOL): T {
  if (isCancel(answer)) throw interrupted();
  return answer;
}
