import type { Readable, Writable } from 'node:stream';
import { type CANCEL_SYMBOL, confirm, isCancel, log, multiselect, select, text } from '@clack/prompts';
import { inOneLine } from '../terminal.js';
import type { JsonObject } from '../json.js';
import type { AskUser, ElicitAnswer } from './answerer.js';
import { type Field, fieldsOf, problemWith } from './fields.js';

/** The streams for questions to the user, and for the user's answers. */
export interface Desk {
  readonly input: Readable;
  readonly output: Writable;
  /** Aborts the open question. */
  readonly signal: AbortSignal;
  /** Called when the user presses Ctrl-C or Escape. */
  readonly interrupt: () => void;
}

/**
 * Returns a function that asks the user in a terminal. It shows the address of a page, or asks for the fields of a form
 * one by one.
 */
export function askByKeys({ interrupt, ...desk }: Desk): AskUser {
  const settled = <T>(answer: T | typeof CANCEL_SYMBOL): T => {
    if (!isCancel(answer)) return answer;
    interrupt();
    throw new Error('interrupted');
  };
  const askFor = async (field: Field): Promise<unknown> => {
    const { name, type, choices, fallback, isRequired, description } = field;
    const usual = typeof fallback === 'string' || typeof fallback === 'number' ? String(fallback) : undefined;
    const hint = `${isRequired ? '' : ' (optional)'}${description === undefined ? '' : `: ${description}`}`;
    const message = inOneLine(`${field.label}${field.label === name ? '' : ` [${name}]`}${hint}`);
    if (type === 'boolean')
      return settled(await confirm({ ...desk, message, initialValue: fallback === true }));
    if (type === 'array') {
      const initialValues = Array.isArray(fallback) ? fallback.map(String) : [];
      return settled(
        await multiselect<string>({
          ...desk,
          message,
          options: [...(choices ?? [])],
          initialValues,
          required: isRequired,
        }),
      );
    }
    if (choices) {
      const none = { value: '', label: '(none)' };
      const options = [...choices, ...(isRequired ? [] : [none])];
      const chosen = await select<string>({
        ...desk,
        message,
        options,
        ...(usual !== undefined && { initialValue: usual }),
      });
      return settled(chosen) || undefined;
    }
    const typed = settled(
      await text({
        ...desk,
        message,
        ...(usual !== undefined && { initialValue: usual }),
        validate: (answer = '') => problemWith(field, answer),
      }),
    );
    if (!typed) return undefined;
    return type === 'string' ? typed : Number(typed);
  };
  return async (question: JsonObject): Promise<ElicitAnswer> => {
    const isPage = question['mode'] === 'url';
    log.message(inOneLine(String(question['message'])), desk);
    if (isPage) log.message(inOneLine(String(question['url'])), desk);
    const fields = isPage ? [] : fieldsOf(question);
    const action = settled(
      await select<'accept' | 'decline'>({
        ...desk,
        message: isPage ? 'Open this page in a browser' : 'The server asks this',
        options: [
          { value: 'accept', label: isPage ? 'I have opened it' : fields.length > 0 ? 'Answer' : 'Accept' },
          { value: 'decline', label: 'Decline' },
        ],
        showInstructions: false,
      }),
    );
    if (action === 'decline' || isPage) return { action };
    const content: Record<string, unknown> = {};
    for (const field of fields) {
      const value = await askFor(field);
      if (value !== undefined) content[field.name] = value;
    }
    return { action, content };
  };
}
