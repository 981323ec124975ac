import type { AskOptions, ClientView } from '../context/call.js';
import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitResult,
  ElicitUrlResult,
  Root,
} from '../protocol/client-requests.js';
import type { ValuePlan } from '../schema/index.js';
import type { Link } from './link.js';
import type { Question } from './question.js';
import type { Revision } from './revisions/index.js';
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
  elicit(asking: Asking, message: string, form: ValuePlan, options?: AskOptions): Promise<ElicitResult>;
  elicitUrl(asking: Asking, message: string, url: string, options?: AskOptions): Promise<ElicitUrlResult>;
  ping(asking: Asking, options?: AskOptions): Promise<void>;
  sample(asking: Asking, params: CreateMessageParams, options?: AskOptions): Promise<CreateMessageResult>;
  roots(asking: Asking, options?: AskOptions): Promise<readonly Root[]>;
}

/** Carries questions to the client: as requests of its own, or inside results. */
export type Carry = (
  asking: Asking,
  question: Question,
  options?: AskOptions,
) => Promise<Record<string, unknown>>;
