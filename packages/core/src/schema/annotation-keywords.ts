import type { SchemaAnnotations } from '../metadata/annotations.js';
import type { JsonSchema } from '../protocol/json.js';
import { HEADER_KEYWORD } from '../protocol/descriptors.js';

/** The keywords that what `@Describe` and its kin said becomes. */
export function annotationKeywords(annotations: SchemaAnnotations): JsonSchema {
  const { title, description, examples, deprecated, header } = annotations;
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(examples !== undefined && { examples }),
    ...(deprecated !== undefined && { deprecated }),
    ...(header !== undefined && { [HEADER_KEYWORD]: header }),
  };
}
