import type { Declaration } from '../registry/declaration.js';
import { isDto, type SchemaSource } from '../schema/index.js';

/** Whether any definition takes its schema from a class: only then are the class libraries loaded. */
export function needsClasses(declarations: readonly Declaration[]): boolean {
  return declarations.some(({ definition, binding }) => {
    const output = 'output' in definition ? definition.output : undefined;
    return typeof output === 'function' || Array.isArray(output) || sourceHasClass(binding.source);
  });
}

function sourceHasClass(source: SchemaSource): boolean {
  if (source.kind === 'class' || source.kind === 'array') return true;
  if (source.kind !== 'properties') return false;
  return source.properties.some(({ type, items }) => isDto(type) || isDto(items));
}
