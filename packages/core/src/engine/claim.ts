import { isObject } from '../protocol/json.js';
import { META } from '../protocol/meta.js';

/** The version a request claims in its `_meta`; `undefined` when it belongs to the session of its connection. */
export function claimOf(params: Readonly<Record<string, unknown>>): unknown {
  const meta = params['_meta'];
  return isObject(meta) ? meta[META.protocolVersion] : undefined;
}
