import type { AskOptions, ClientView, RoundOptions } from '../context/call.js';
import type { InputRequired } from '../context/input-required.js';
import type { AnswersTo, Question, Questions } from '../context/questions.js';
import { AnswerError } from '../errors/answer-error.js';
import { ERROR_CODES } from '../errors/codes.js';
import { ProtocolError } from '../errors/protocol-error.js';
import { type ClientCapabilities, METHODS, NOTIFICATIONS } from '../protocol/protocol.js';
import type { Link } from './link.js';
import type { QuestionCodec } from './question-codec.js';
import type { Revision } from './revisions/index.js';
import { noteRequired, readResponse, receiveResponses } from './rounds/required-input.js';
import type { Answer, InputRequest, InputRequests } from './rounds/round-memory.js';
import type { Rounds } from './rounds/rounds.js';

/** The part of a call that asking needs. */
export interface Asking {
  readonly method: string;
  readonly revision: Revision;
  readonly client: ClientView;
  readonly signal: AbortSignal;
  readonly link: Link;
  readonly rounds: Rounds;
  /** Whether the client has its answer. */
  readonly isOver: boolean;
  /** How questions reach the client. */
  readonly carry: Carry;
  /** Sends a notification, or a request with an id, on the stream of the call. */
  send(message: {
    readonly method: string;
    readonly id?: number;
    readonly params?: object | undefined;
  }): void;
  /** Runs a wait for the client, which the time limit of the handler does not count. */
  waiting<T>(wait: () => Promise<T>): Promise<T>;
}

/** How one question is carried. */
export interface CarryOptions extends RoundOptions {
  /** Withdraws the question; what cancels the request when absent. */
  readonly signal?: AbortSignal;
}

/** Carries questions to the client: as requests of its own, inside results, or in a task. */
export interface Carry {
  /** Carries one question, while its handler waits. */
  ask(asking: Asking, key: string, request: InputRequest, options?: CarryOptions): Promise<Answer>;
  /** Carries the questions a handler has ended its run with; the answers may lack some of them. */
  askAll(asking: Asking, requests: InputRequests): Promise<Readonly<Record<string, Answer>>>;
}

/** Asks what handlers want to know: checks that the client can answer, and what it answers. */
export class Asker {
  constructor(private readonly codec: QuestionCodec) {}

  async ask<T>(asking: Asking, question: Question<T>, { key, ...options }: AskOptions = {}): Promise<T> {
    requireOpen(asking);
    return this.#put(asking, question, this.#write(asking, question), key, options);
  }

  async askAll<Q extends Questions>(
    asking: Asking,
    questions: Q,
    options?: RoundOptions,
  ): Promise<AnswersTo<Q>> {
    requireOpen(asking);
    // All of them are written before the first is sent: one that cannot be asked keeps the others back.
    const requests = this.#writeAll(asking, questions);
    const ask = (key: string, request: InputRequest, signal: AbortSignal): Promise<unknown> =>
      this.#put(asking, questions[key] as Question, request, key, { ...options, signal });
    return (await together(requests, asking.signal, ask)) as AnswersTo<Q>;
  }

  /** Asks what a handler returned. Resolves when it is to run again within this request. */
  async requireInput(asking: Asking, { questions, requestState }: InputRequired): Promise<void> {
    const requests = this.#writeAll(asking, questions);
    const { rounds } = asking;
    noteRequired(rounds.memory, requests, requestState);
    receiveResponses(rounds.memory, await asking.waiting(() => asking.carry.askAll(asking, requests)));
    await rounds.restart();
  }

  /** Reads the answer to a question that was required; `undefined` when there is none. */
  async inputResponse<T>(asking: Asking, key: string, question: Question<T>): Promise<T | undefined> {
    asking.rounds.throwIfEnded();
    const request = (): InputRequest => this.codec.write(question, asking.revision);
    const answer = readResponse(asking.rounds.memory, key, request);
    return answer && this.codec.read(question, answer, asking.revision);
  }

  async ping(asking: Asking, options?: AskOptions): Promise<void> {
    requireOpen(asking);
    // A request of a stateless revision is a sign of life itself.
    if (asking.revision.stateless) return;
    await asking.waiting(() => send(asking, { method: METHODS.ping }, options));
  }

  #write(asking: Asking, question: Question): InputRequest {
    requireCapability(asking, question);
    return this.codec.write(question, asking.revision);
  }

  #writeAll(asking: Asking, questions: Questions): InputRequests {
    const written = Object.entries(questions).map(([key, question]) => [key, this.#write(asking, question)]);
    return Object.fromEntries(written) as InputRequests;
  }

  async #put<T>(
    asking: Asking,
    question: Question<T>,
    request: InputRequest,
    key: string | undefined,
    options?: CarryOptions,
  ): Promise<T> {
    const carry = (named: string): Promise<Answer> =>
      asking.waiting(() => asking.carry.ask(asking, named, request, options));
    return this.codec.read(question, await asking.rounds.ask(request, key, carry), asking.revision);
  }
}

/** @throws Suspension or AnswerError when the run of the handler that asks is over. */
function requireOpen({ rounds, isOver, signal }: Asking): void {
  rounds.throwIfEnded();
  if (isOver && !signal.aborted)
    throw new AnswerError('gone', 'The request has been answered: nothing can be asked any more');
}

/** Carries questions inside results: the client answers when it repeats the request (2026-07-28, basic/patterns/mrtr). */
export const carryByRound: Carry = {
  async ask(asking, key, request) {
    if (asking.revision.rounds.has(asking.method)) return asking.rounds.leave({ [key]: request });
    const message = `${asking.method} cannot be answered with a question; only tools, prompts and resources can`;
    throw new ProtocolError(ERROR_CODES.internalError, message);
  },
  askAll: (asking, requests) => asking.rounds.leave(requests),
};

/** Carries questions as JSON-RPC requests to the client, on the stream of the request that asks (up to 2025-11-25). */
export const carryByRequest: Carry = {
  ask(asking, _key, request, options = {}) {
    const roots = request.method === METHODS.listRoots ? asking.link.session?.roots : undefined;
    if (roots) return Promise.resolve({ roots });
    return isPage(request) ? sendToPage(asking, request, options) : send(asking, request, options);
  },
  askAll: (asking, requests) =>
    together(requests, asking.signal, (key, request, signal) =>
      carryByRequest.ask(asking, key, request, { signal }),
    ),
};

/**
 * Asks several things side by side.
 *
 * @param signal ends the asking from outside.
 * @param ask asks one of them; its signal aborts when another one has failed, too.
 * @returns the answers under the names of the questions.
 * @throws whatever the first failure threw.
 */
export async function together<Q, A>(
  questions: Readonly<Record<string, Q>>,
  signal: AbortSignal,
  ask: (key: string, question: Q, signal: AbortSignal) => Promise<A>,
): Promise<Record<string, A>> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  try {
    const asked = Object.entries(questions).map(
      async ([key, question]) => [key, await ask(key, question, either)] as const,
    );
    return Object.fromEntries(await Promise.all(asked));
  } catch (error) {
    failed.abort(new AnswerError('gone', 'Another question that was asked with this one has failed'));
    throw error;
  }
}

const DEFAULT_TIMEOUT_MS = 5 * 60_000;
const DEFAULT_MAX_TIMEOUT_MS = 60 * 60_000;

async function send(
  asking: Asking,
  { method, params }: InputRequest,
  options: CarryOptions = {},
): Promise<Answer> {
  const {
    timeoutMs = DEFAULT_TIMEOUT_MS,
    maxTimeoutMs = Math.max(DEFAULT_MAX_TIMEOUT_MS, timeoutMs),
    signal = asking.signal,
  } = options;
  const answer = await asking.link.pending.ask(
    {
      send: (id) => {
        // What takes a user or a model may take long: progress on it buys time.
        const awaited = params ? { ...params, _meta: { progressToken: id } } : undefined;
        asking.send({ id, method, params: awaited });
      },
      withdraw: (requestId, reason) =>
        asking.send({ method: NOTIFICATIONS.cancelled, params: { requestId, reason } }),
    },
    { timeoutMs, maxTimeoutMs, signal },
  );
  return asking.link.read(method, answer);
}

/** Pages have an identity, by which the server says later that they have done their work. */
async function sendToPage(asking: Asking, request: InputRequest, options: CarryOptions): Promise<Answer> {
  const elicitationId = crypto.randomUUID();
  const params = { ...request.params, elicitationId };
  const answer = await send(asking, { ...request, params }, options);
  // A page that was not opened does no work.
  if (answer['action'] === 'accept') asking.link.addElicitation(elicitationId);
  return { ...answer, elicitationId };
}

function isPage({ method, params = {} }: InputRequest): boolean {
  return method === METHODS.elicit && 'mode' in params && params.mode === 'url';
}

interface Need {
  readonly met: unknown;
  readonly required: ClientCapabilities;
  readonly why: string;
}

/** Checks that the client can answer a question. @throws ProtocolError that says what capability it lacks. */
function requireCapability(asking: Asking, question: Question): void {
  for (const { met, required, why } of needs(asking, question)) {
    if (!met) throw asking.revision.missingCapability(`The client ${why}`, required);
  }
}

function needs({ client, revision }: Asking, question: Question): readonly Need[] {
  const { elicitation, sampling, roots } = client.capabilities;
  switch (question.asks) {
    case 'elicit': {
      // A bare `elicitation: {}` means forms (2025-11-25, client/elicitation, "Capabilities").
      const showsForms = revision.elicitation.form && elicitation && (elicitation.form || !elicitation.url);
      return [{ met: showsForms, required: { elicitation: { form: {} } }, why: 'cannot show forms' }];
    }
    case 'elicitUrl': {
      const opensPages = revision.elicitation.url && elicitation?.url;
      return [{ met: opensPages, required: { elicitation: { url: {} } }, why: 'cannot open pages' }];
    }
    case 'sample': {
      const model = { met: sampling, required: { sampling: {} }, why: 'has no model to offer' };
      if (!question.params.tools) return [model];
      const takesTools = revision.samplingTools && sampling?.tools;
      const why = 'has no model that uses tools';
      return [model, { met: takesTools, required: { sampling: { tools: {} } }, why }];
    }
    case 'roots':
      return [{ met: roots, required: { roots: {} }, why: 'does not share its roots' }];
  }
}
