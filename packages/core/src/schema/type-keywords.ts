import type { JsonSchema } from '../protocol/json.js';
import type { DeclaredType } from './declared-type.js';
import { wireForm } from './wire-form.js';

/** The keywords of a declared type. A class says nothing here: its schema is a reference. */
export function typeKeywords(type: DeclaredType): JsonSchema {
  switch (type.kind) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'array':
      return { type: type.kind };
    case 'set':
      return { type: 'array' };
    case 'map':
      return { type: 'object' };
    case 'enum':
      return { enum: type.values };
    default:
      return wireForm(type)?.shown ?? {};
  }
}
