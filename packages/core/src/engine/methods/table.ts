import { ERROR_CODES } from '../../errors/codes.js';
import { invalidParams, ProtocolError } from '../../errors/protocol-error.js';
import { isObject } from '../../protocol/json.js';
import { isPromise, type MaybePromise } from '../../protocol/maybe-promise.js';
import type { Gate } from '../../registry/entry.js';
import type { Exchange, MethodHandler } from '../exchange.js';

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
export function requireFeature(exchange: Exchange, present: boolean): void {
  if (!present) throw new ProtocolError(ERROR_CODES.methodNotFound, `Method not found: ${exchange.method}`);
}

/**
 * Goes on when the caller may use an entry.
 *
 * @param refuse makes the error for the others: the same as if there were no such entry.
 */
export function ifAllowed<R>(
  exchange: Exchange,
  gate: Gate | undefined,
  go: () => MaybePromise<R>,
  refuse: () => ProtocolError,
): MaybePromise<R> {
  if (!gate) return go();
  const decide = (allowed: boolean): MaybePromise<R> => {
    if (!allowed) throw refuse();
    return go();
  };
  const allowed = gate(exchange);
  return isPromise(allowed) ? allowed.then(decide) : decide(allowed);
}
