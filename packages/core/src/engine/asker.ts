import type { AskOptions, ClientView, RoundOptions } from '../context/call.js';
import type { InputRequired } from '../context/input-required.js';
import type { AnswersTo, Question, Questions } from '../context/questions.js';
import type { InputRequest, InputRequests } from './input-request.js';
import type { Link } from './link.js';
import type { Revision } from './revisions/index.js';
import type { Answer } from './rounds/round-memory.js';
import type { Rounds } from './rounds/rounds.js';

/** The part of an exchange that asking needs. */
export interface Asking {
  readonly method: string;
  readonly revision: Revision;
  readonly client: ClientView;
  readonly signal: AbortSignal;
  readonly link: Link;
  readonly rounds: Rounds;
  send(message: string): void;
}

/** How a handler's questions reach the client and its answers come back. */
export interface Asker {
  ask<T>(asking: Asking, question: Question<T>, options?: AskOptions): Promise<T>;
  askAll<Q extends Questions>(asking: Asking, questions: Q, options?: RoundOptions): Promise<AnswersTo<Q>>;
  /** Asks what a handler returned. Resolves when it is to be run again; never where the client repeats the request. */
  requireInput(asking: Asking, required: InputRequired): Promise<void>;
  /** Reads the answer to a question that was required; `undefined` when there is none. */
  inputResponse<T>(asking: Asking, key: string, question: Question<T>): Promise<T | undefined>;
  ping(asking: Asking, options?: AskOptions): Promise<void>;
  /** Asks the same way, with the questions carried by something else. */
  carriedBy(carry: Carry): Asker;
}

/** How one question is carried. */
export interface CarryOptions extends RoundOptions {
  /** Withdraws the question; what cancels the request unless given. */
  readonly signal?: AbortSignal;
}

/** Carries questions to the client: as requests of its own, or inside results. */
export interface Carry {
  /** Carries one question, while its handler waits. */
  ask(asking: Asking, key: string, request: InputRequest, options?: CarryOptions): Promise<Answer>;
  /** Carries the questions a handler has ended its run with; the answers may lack some of them. */
  askAll(asking: Asking, requests: InputRequests): Promise<Readonly<Record<string, Answer>>>;
}
