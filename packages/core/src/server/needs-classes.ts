import type { Declaration } from '../registry/declaration.js';
import { hasClassValidator, isDto, type SchemaSource } from '../schema/index.js';

/**
 * Whether the class libraries are wanted: when a definition takes its schema from a class, or when the author has loaded
 * class-validator anyway, for a form or for a tool that comes later.
 */
export function needsClasses(declarations: readonly Declaration[]): boolean {
  if (hasClassValidator()) return true;
  return declarations.some(({ definition, binding, returns }) => {
    const output = 'output' in definition ? definition.output : undefined;
    return (
      returns !== undefined ||
      typeof output === 'function' ||
      Array.isArray(output) ||
      sourceHasClass(binding.source)
    );
  });
}

function sourceHasClass(source: SchemaSource): boolean {
  if (source.kind === 'class' || source.kind === 'array') return true;
  if (source.kind !== 'properties') return false;
  return source.properties.some(({ type, items }) => isDto(type) || isDto(items));
}
