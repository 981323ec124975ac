import type { Problem } from '../errors/definition-error.js';
import { isObject } from '../protocol/json.js';

/** RFC 3339, as the schema of the specification has it for `lastModified`. */
const DATE_TIME = /^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:[Zz]|[+-]\d{2}:?\d{2})?)?$/;

const ROLES: readonly unknown[] = ['user', 'assistant'];

interface Fault {
  readonly member: string;
  readonly expected: string;
}

/**
 * Everything wrong with the annotations and the size of a resource (2026-07-28, server/resources, "Annotations").
 *
 * @param annotations as the author wrote them.
 * @param size in bytes, as the author wrote it.
 * @param where the place in the author's words.
 */
export function annotationProblems(annotations: unknown, size: unknown, where: string): Problem[] {
  const faults = annotations === undefined ? [] : annotationFaults(annotations);
  if (size !== undefined && !(Number.isInteger(size) && Number(size) >= 0))
    faults.push({ member: 'size', expected: 'a number of bytes: an integer from 0' });
  return faults.map(({ member, expected }) => ({
    code: 'SIGIL_INVALID_OPTIONS',
    where: `${where}, ${member}`,
    what: `it must be ${expected}`,
    fix: 'give such a value, or leave it out',
  }));
}

function annotationFaults(annotations: unknown): Fault[] {
  if (!isObject(annotations)) return [{ member: 'annotations', expected: 'an object' }];
  const { audience, priority, lastModified } = annotations;
  const faults: Fault[] = [];
  if (audience !== undefined && !isAudience(audience))
    faults.push({ member: 'annotations.audience', expected: `a list of 'user' and 'assistant'` });
  if (priority !== undefined && !(typeof priority === 'number' && priority >= 0 && priority <= 1))
    faults.push({ member: 'annotations.priority', expected: 'a number from 0 to 1' });
  if (lastModified !== undefined && !isDateTime(lastModified))
    faults.push({
      member: 'annotations.lastModified',
      expected: 'an ISO 8601 date-time string such as "2026-07-28T09:00:00Z"',
    });
  return faults;
}

function isAudience(audience: unknown): boolean {
  return Array.isArray(audience) && audience.every((role) => ROLES.includes(role));
}

function isDateTime(value: unknown): boolean {
  return typeof value === 'string' && DATE_TIME.test(value) && !Number.isNaN(Date.parse(value));
}
