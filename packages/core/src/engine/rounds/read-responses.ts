import { invalidParams } from '../../errors/protocol-error.js';
import { isObject } from '../../protocol/json.js';
import { repeated } from '../../protocol/protocol.js';
import type { Answer } from './round-memory.js';

/** Reads the client's answers to what it was asked, by key. @throws ProtocolError (-32602) when they are none. */
export function readInputResponses(responses: unknown): Map<string, Answer> {
  if (!isObject(responses)) throw invalidParams('"inputResponses" must be an object');
  const entries = Object.entries(responses).map(([key, response]) => {
    if (!isObject(response)) throw invalidParams(`The response to "${repeated(key)}" must be an object`);
    return [key, response] as const;
  });
  return new Map(entries);
}
