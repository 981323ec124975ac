import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitResult,
  ElicitUrlResult,
  Root,
} from '../protocol/client-requests.js';
import type { StandardSchema } from '../protocol/standard-schema.js';
import type { Constructor } from '../protocol/constructor.js';
import type { JsonSchema } from '../protocol/json.js';

const QUESTION = Symbol.for('sigil:question');

/** The key under which a question has the type of its answer. It exists in types only. */
declare const ANSWER: unique symbol;

/** A form as its author defines it: a DTO class, hand-written JSON Schema, or a schema of zod, valibot or arktype. */
export type FormLike = Constructor | StandardSchema | JsonSchema;

type QuestionParts =
  | { readonly asks: 'elicit'; readonly message: string; readonly form: FormLike }
  | { readonly asks: 'elicitUrl'; readonly message: string; readonly url: string }
  | { readonly asks: 'sample'; readonly params: CreateMessageParams }
  | { readonly asks: 'roots' };

/**
 * A question for the client. To ask the question, pass it to `ctx.ask()` or `inputRequired()`. After `inputRequired()`,
 * pass the same question to `ctx.inputResponse()` in the next run to get the answer. A question is frozen, and can be
 * used several times.
 *
 * @typeParam T the type of its answer.
 */
export type InputQuestion<T = unknown> = QuestionParts & { readonly [ANSWER]?: T };

/** Questions by name. */
export type InputQuestions = Readonly<Record<string, InputQuestion>>;

/** The answers to questions, under the same names. */
export type InputResponsesTo<Q extends InputQuestions> = {
  readonly [Name in keyof Q]: NonNullable<Q[Name]> extends InputQuestion<infer T> ? T : never;
};

/** The type of `ask`, which creates questions to the client. */
interface QuestionBuilders {
  /**
   * Shows the user a form, as `ctx.elicit()` does.
   *
   * @param message the text for the user.
   * @param form a DTO class, a flat JSON Schema object, or a flat object schema of zod, valibot or arktype. With a DTO
   *   class, the answer's `content` is an instance of the class.
   */
  form<T extends object>(message: string, form: Constructor<T>): InputQuestion<ElicitResult<T>>;
  form<T extends object>(message: string, form: StandardSchema<unknown, T>): InputQuestion<ElicitResult<T>>;
  form(message: string, form: FormLike): InputQuestion<ElicitResult>;

  /**
   * Asks the user to open a page, as `ctx.elicitUrl()` does.
   *
   * @param message why the user should open the page.
   * @param url an absolute http or https URL.
   * @throws TypeError if the URL is invalid.
   */
  url(message: string, url: string): InputQuestion<ElicitUrlResult>;

  /**
   * Asks the client's model for a message, as `ctx.sample()` does.
   *
   * @param params the parameters of `sampling/createMessage`.
   */
  sample(params: CreateMessageParams): InputQuestion<CreateMessageResult>;

  /** Asks for the directories and files that the client shares, as `ctx.roots()` does. */
  roots(): InputQuestion<readonly Root[]>;
}

/**
 * Creates questions for the client, to pass to `ctx.ask()`, `inputRequired()` and `ctx.inputResponse()`. Creating a
 * question sends nothing. To ask immediately, use `ctx.elicit()`, `ctx.elicitUrl()`, `ctx.sample()` or `ctx.roots()`.
 *
 * @example
 * ```ts
 * const { name, roots } = await ctx.ask({ name: ask.form('Your name?', NameForm), roots: ask.roots() });
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export const ask: QuestionBuilders = {
  form(message: string, form: FormLike): InputQuestion<never> {
    return question({ asks: 'elicit', message, form });
  },
  url(message, url) {
    if (!isPage(url))
      throw new TypeError(`ask.url() needs an absolute http or https URL, not '${String(url)}'`);
    return question({ asks: 'elicitUrl', message, url });
  },
  sample: (params) => question({ asks: 'sample', params }),
  roots: () => question({ asks: 'roots' }),
};

function isPage(url: unknown): boolean {
  return typeof url === 'string' && /^https?:\/\//i.test(url) && URL.canParse(url);
}

/**
 * Checks that all entries are questions, created by this copy of the package or another copy.
 *
 * @param where the function that received the questions, such as `ctx.ask()`.
 * @throws TypeError when an entry is not a question.
 */
export function checkQuestions(questions: InputQuestions, where: string): void {
  for (const [name, given] of Object.entries(questions)) checkQuestion(given, name, where);
}

/** Checks that a value is a question. @throws TypeError if the value is not a question. */
export function checkQuestion(given: unknown, name: string, where: string): void {
  if (typeof given === 'object' && given !== null && QUESTION in given) return;
  const fix =
    'create it with ask.form(), ask.url(), ask.sample() or ask.roots(), because the methods of the context ask immediately';
  throw new TypeError(`${where} received "${name}", which is not a question: ${fix}`);
}

function question<T>(parts: QuestionParts): InputQuestion<T> {
  return Object.freeze({ [QUESTION]: true, ...parts });
}

/**
 * The key of a property of each `InputRequired`. Other copies of this package recognise the object by this property.
 */
export const INPUT_REQUIRED: symbol = Symbol.for('sigil:input-required');

/** The questions that a handler returns in place of a result. Created by `inputRequired()`. */
export class InputRequired {
  /** @param questions the questions for the client, by key. @param requestState the state for the next run. */
  constructor(
    readonly questions: InputQuestions,
    readonly requestState: string | undefined,
  ) {
    Object.freeze(this);
  }
}

Object.defineProperty(InputRequired.prototype, INPUT_REQUIRED, { value: true });

/**
 * Asks the client questions before a tool, prompt or resource returns a result. The handler returns the value of this
 * function instead of a result. The client gets the questions. When its answers have arrived, the handler runs again
 * from its beginning, with the answers in `ctx.inputResponses` and `ctx.inputResponse()`. A client may leave questions
 * unanswered; ask these questions again (2026-07-28, basic/patterns/mrtr).
 *
 * @param questions the questions for the client, by key; may be empty with a `requestState`.
 * @param requestState the value of `ctx.requestState` in the next run. The client gets this value only in encrypted
 *   form. The value is accepted only with the same request from the same principal, before it expires.
 * @returns the value that the handler must return.
 * @throws TypeError if there are neither questions nor a state, or if an entry is not a question.
 * @example
 * ```ts
 * @Tool({ description: 'Books a table' })
 * async book(ctx: ToolContext) {
 *   const question = ask.form('Which day?', Day);
 *   const answer = await ctx.inputResponse('day', question);
 *   if (!answer) return inputRequired({ day: question });
 *   return answer.action === 'accept' ? `Booked for ${answer.content.day}` : 'Nothing was booked';
 * }
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export function inputRequired(questions: InputQuestions, requestState?: string): InputRequired {
  checkQuestions(questions, 'inputRequired()');
  if (requestState !== undefined && typeof requestState !== 'string') {
    throw new TypeError('the requestState of inputRequired() must be a string: use JSON for any other value');
  }
  if (requestState === undefined && Object.keys(questions).length === 0) {
    throw new TypeError('inputRequired() needs a question or a requestState');
  }
  return new InputRequired(Object.freeze({ ...questions }), requestState);
}

const SUSPENSION = Symbol.for('sigil:suspension');

/**
 * Thrown to end the run of a handler whose question has no answer yet (revision 2026-07-28). The client gets the
 * question. When the client repeats the request with the answer, the handler runs again from its beginning. `finally`
 * blocks, `using` declarations and middleware behave as after any other thrown value. A suspension is not an `Error`,
 * so `catch (error) { if (error instanceof MyError) …; throw error }` rethrows it.
 *
 * A `catch` that handles all errors must rethrow it:
 *
 * @example
 * ```ts
 * try {
 *   await ctx.elicit('Sure?', Consent);
 * } catch (error) {
 *   if (isSuspension(error)) throw error; // a Suspension is not a failure
 *   return 'The question could not be asked';
 * }
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export class Suspension {
  // Without its own member, every object would have this type, and `isSuspension` would narrow an error to `never`.
  declare protected readonly nominal: true;

  /** Explains the suspension to an author whose handler catches it. */
  toString(): string {
    return 'Suspension: the handler stops until the client answers, and then runs again; if you catch this value, rethrow it';
  }
}

Object.defineProperty(Suspension.prototype, SUSPENSION, { value: true });

/**
 * Whether a thrown value is a `Suspension`, from this copy of the package or another copy.
 *
 * @param thrown the caught value.
 * @example
 * ```ts
 * try {
 *   await ctx.elicit('Sure?', Consent);
 * } catch (error) {
 *   if (isSuspension(error)) throw error;
 *   ctx.log.warning('The question could not be asked');
 * }
 * ```
 */
export function isSuspension(thrown: unknown): thrown is Suspension {
  return typeof thrown === 'object' && thrown !== null && SUSPENSION in thrown;
}
