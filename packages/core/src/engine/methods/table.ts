import type { Quota } from '../../transport/quota.js';
import type { EngineOptions } from '../engine-options.js';
import type { MethodHandler } from '../exchange.js';
import type { Extensions } from '../extensions.js';
import type { MethodResult } from '../response.js';
import type { Rechecks } from '../subscriptions/rechecks.js';
import type { Listeners, Subscribers } from '../subscriptions/subscriptions.js';
import type { Capabilities } from './capabilities.js';

/** The parts of the engine that the protocol methods need. */
export interface MethodParts {
  readonly options: EngineOptions;
  readonly capabilities: Capabilities;
  readonly extensions: Extensions;
  readonly subscribers: Subscribers;
  readonly listeners: Listeners;
  readonly rechecks: Rechecks;
  /** Limits the memory for the client data of all sessions in this process to `limits.maxSessionBytes`. */
  readonly sessionBytes: Quota;
}

/** The methods of one group, by name. */
export type MethodTable = Readonly<Record<string, MethodHandler>>;

/** The result of a request whose response has no data. */
export const EMPTY: MethodResult = Object.freeze({ result: Object.freeze({}) });
