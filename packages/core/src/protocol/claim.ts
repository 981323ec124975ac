import { isObject } from './json.js';
import { META } from './meta.js';

/**
 * The version that a message claims for itself in `_meta` (2026-07-28, basic/versioning).
 *
 * @returns `undefined` for a message that belongs to a session; anything else, of whatever type, is a claim.
 */
export function claimOf(message: unknown): unknown {
  if (!isObject(message) || !isObject(message['params'])) return undefined;
  const meta = message['params']['_meta'];
  return isObject(meta) ? meta[META.protocolVersion] : undefined;
}
