import type { Call } from '../../context/call.js';
import { ERROR_CODES } from '../../errors/codes.js';
import { invalidParams, ProtocolError } from '../../errors/protocol-error.js';
import { isObject } from '../../protocol/json.js';
import { after, type MaybePromise } from '../../protocol/maybe-promise.js';
import type { Entry } from '../../registry/entry.js';
import type { Quota } from '../../transport/quota.js';
import type { EngineCall } from '../call.js';
import type { EngineOptions } from '../engine-options.js';
import type { MethodHandler } from '../exchange.js';
import type { Extensions } from '../extensions.js';
import type { MethodResult } from '../response.js';
import type { Rechecks } from '../subscriptions/rechecks.js';
import type { Listeners, Subscribers } from '../subscriptions/subscriptions.js';
import type { Capabilities } from './capabilities.js';

/** What methods are made of. */
export interface MethodParts {
  readonly options: EngineOptions;
  readonly capabilities: Capabilities;
  readonly extensions: Extensions;
  readonly subscribers: Subscribers;
  readonly listeners: Listeners;
  readonly rechecks: Rechecks;
  /** The room for what sessions keep of their clients. */
  readonly sessionBytes: Quota;
}

/** The methods of one group, by name. */
export type MethodTable = Readonly<Record<string, MethodHandler>>;

/** Reads the arguments of a tool or prompt. @throws ProtocolError (-32602) when they are no object. */
export function readArguments(params: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const args = params['arguments'];
  if (args === undefined) return {};
  if (!isObject(args)) throw invalidParams('"arguments" must be an object');
  return args;
}

/** Reads a string parameter. @throws ProtocolError (-32602) when there is none. */
export function readString(params: Readonly<Record<string, unknown>>, name: string): string {
  const value = params[name];
  if (typeof value !== 'string') throw invalidParams(`"${name}" must be a string`);
  return value;
}

/** Refuses a method whose feature this server does not have. */
export function requireFeature({ method }: Pick<Call, 'method'>, present: boolean): void {
  if (!present) throw new ProtocolError(ERROR_CODES.methodNotFound, `Method not found: ${method}`);
}

/** The result of a request that only wants to know that it was served. */
export const EMPTY: MethodResult = Object.freeze({ result: Object.freeze({}) });

/**
 * Goes on when the caller may see an entry.
 *
 * @param refuse makes the error for the others: the same as if there were no such entry.
 */
export function ifVisible<R>(
  call: EngineCall,
  { gate, where }: Pick<Entry, 'gate' | 'where'>,
  go: () => MaybePromise<R>,
  refuse: () => ProtocolError,
): MaybePromise<R> {
  call.where = where;
  return gate ? decide(gate(call), go, refuse) : go();
}

/** Goes on with a call of an entry when the caller may use it: guards get the context that the handler will get. */
export function ifUsable<R>(
  call: EngineCall,
  { gate, context, where }: Pick<Entry, 'gate' | 'context' | 'where'>,
  go: () => MaybePromise<R>,
  refuse: () => ProtocolError,
): MaybePromise<R> {
  call.where = where;
  return gate ? decide(gate(call, context(call)), go, refuse) : go();
}

function decide<R>(
  allowed: MaybePromise<boolean>,
  go: () => MaybePromise<R>,
  refuse: () => ProtocolError,
): MaybePromise<R> {
  return after(allowed, (isAllowed) => {
    if (!isAllowed) throw refuse();
    return go();
  });
}
