import type { JsonSchema } from '../protocol/json.js';
import type { DeclaredType } from './declared-type.js';

/** The keywords of a declared type. A class says nothing here: its schema is a reference. */
export function typeKeywords(type: DeclaredType): JsonSchema {
  switch (type.kind) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'array':
      return { type: type.kind };
    case 'enum':
      return { enum: type.values };
    case 'date':
      return { type: 'string', format: 'date-time' };
    case 'bigint':
      // Text keeps every digit; JSON numbers of other peers may not.
      return { type: ['string', 'integer'], pattern: '^-?[0-9]+$' };
    case 'class':
    case 'unknown':
      return {};
  }
}
