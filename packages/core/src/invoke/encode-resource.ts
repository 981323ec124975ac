import { type InputRequired, isInputRequired } from '../context/input-required.js';
import { isBytes } from '../protocol/base64.js';
import { cacheFaults } from '../protocol/cache-hint.js';
import { blobContents, textContents } from '../protocol/content-builders.js';
import type { ResourceContents } from '../protocol/content.js';
import { isObject } from '../protocol/json.js';
import type { ReadResourceResult } from '../protocol/results.js';
import { toJson } from '../protocol/to-json.js';
import { isResourceContents } from './result-shapes.js';

/** Changes contents on their way out. */
export type ShapeContents = (contents: ResourceContents) => ResourceContents;

/**
 * Turns what a resource returned into its result; what it still needs stays as it is.
 *
 * @param shape changes each of the contents; `undefined` leaves them as they are.
 * @returns `undefined` when the handler returned nothing: there is no such resource.
 * @throws TypeError when the result has a cache hint that is none.
 */
export function encodeResource(
  value: unknown,
  uri: string,
  mimeType: string | undefined,
  shape: ShapeContents | undefined,
): ReadResourceResult | InputRequired | undefined {
  if (value === undefined || value === null) return undefined;
  if (isInputRequired(value)) return value;
  const result = toResult(value, uri, mimeType);
  return shape ? { ...result, contents: result.contents.map(shape) } : result;
}

function toResult(value: unknown, uri: string, mimeType: string | undefined): ReadResourceResult {
  if (isObject(value) && Array.isArray(value['contents']) && value['contents'].every(isResourceContents)) {
    return checked(value as unknown as ReadResourceResult);
  }
  if (isResourceContents(value)) return { contents: [value] };
  if (Array.isArray(value) && value.length > 0 && value.every(isResourceContents)) return { contents: value };
  return { contents: [encodeValue(value, uri, mimeType)] };
}

/** A client told to keep something for ever, or by a word it does not know, would do as it likes. */
function checked(result: ReadResourceResult): ReadResourceResult {
  if (result.ttlMs === undefined && result.cacheScope === undefined) return result;
  for (const { member, expected } of cacheFaults(result))
    throw new TypeError(`"${member}" of a result must be ${expected}`);
  return result;
}

function encodeValue(value: unknown, uri: string, mimeType: string | undefined): ResourceContents {
  if (typeof value === 'string') return textContents(uri, value, mimeType);
  if (isBytes(value)) return blobContents(uri, value, mimeType);
  return textContents(uri, JSON.stringify(toJson(value)), mimeType ?? 'application/json');
}
