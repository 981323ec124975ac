import { META } from '@sigil/core/transport';

/** A JSON object of unknown members. */
export type Fields = Readonly<Record<string, unknown>>;

/** Narrows to an object that is neither `null` nor an array. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The parameters of a message; empty when it has none. */
export function paramsOf(message: Fields): Fields {
  return isFields(message['params']) ? message['params'] : {};
}

/** The version a message claims in its `_meta`; `undefined` when it claims none. */
export function claimOf(message: Fields): unknown {
  const meta = paramsOf(message)['_meta'];
  return isFields(meta) ? meta[META.protocolVersion] : undefined;
}

/** Whether a message wants a response. */
export function isRequest(message: unknown): boolean {
  return isFields(message) && typeof message['method'] === 'string' && message['id'] !== undefined;
}
