import type { Problem } from '../errors/definition-error.js';
import { isObject, type JsonSchema, MAX_DEPTH } from '../protocol/json.js';
import type { Dialect } from './ajv.js';
import { findFault } from './schema-faults.js';

const MAX_BYTES = 256 * 1024;

/** What is known of a hand-written schema without compiling it. */
export interface HandWritten {
  readonly dialect: Dialect;
  /** Whether it has identifiers, which would register themselves with a shared validator. */
  readonly isolated: boolean;
}

/**
 * Checks the structure of a hand-written schema: enough to refuse at boot what would exhaust the compiler or could not
 * resolve, without the cost of compiling a meta-schema.
 * @param rootObject whether the root must describe an object, as the input of a tool must.
 * @returns undefined when a problem was reported.
 */
export function readHandWritten(
  schema: unknown,
  rootObject: boolean,
  where: string,
  problems: Problem[],
): HandWritten | undefined {
  const fault = faultOf(schema, rootObject);
  if (fault !== undefined) {
    problems.push({
      code: 'SIGIL_INVALID_SCHEMA',
      where,
      what: `the hand-written schema ${fault}`,
      fix: 'mend the schema, or describe the value by a DTO class',
    });
    return undefined;
  }
  return { dialect: dialectOf((schema as JsonSchema)['$schema']), isolated: hasIdentifiers(schema) };
}

function faultOf(schema: unknown, rootObject: boolean): string | undefined {
  if (!isObject(schema)) return 'is not an object';
  if (rootObject && schema['type'] !== 'object') return "does not have `type: 'object'` at its root";
  const text = textOf(schema);
  if (text === undefined) return `contains itself, is deeper than ${MAX_DEPTH} levels, or is not JSON`;
  if (text.length > MAX_BYTES) return `is larger than ${MAX_BYTES / 1024} KB`;
  return findFault(schema);
}

function textOf(schema: JsonSchema): string | undefined {
  try {
    return JSON.stringify(schema);
  } catch {
    return undefined;
  }
}

function dialectOf(name: unknown): Dialect {
  const uri = typeof name === 'string' ? name : '';
  if (/draft-0[4-7]/.test(uri)) return 'draft-07';
  return uri.includes('2019-09') ? '2019-09' : '2020-12';
}

function hasIdentifiers(schema: unknown): boolean {
  return /"(?:\$id|id)":"/.test(textOf(schema as JsonSchema) ?? '');
}
