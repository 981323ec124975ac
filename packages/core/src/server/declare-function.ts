import type { FunctionDefinition } from '../decorators/define.js';
import type { HandlerDefinition, SchemaLike } from '../metadata/definitions.js';
import type { Declaration } from '../registry/declaration.js';
import { explicitSource, groupsOf } from '../registry/parameters.js';
import type { SchemaSource } from '../schema/index.js';

/** Gives a function definition the shape that scanning gives a decorated method. */
export function declareFunction({
  definition,
  input,
  handle,
  guards,
  middleware,
  errors,
}: FunctionDefinition): Declaration {
  const kind = definition.kind.charAt(0).toUpperCase() + definition.kind.slice(1);
  return {
    definition,
    where: `define${kind}('${nameOf(definition)}')`,
    target: { kind: 'function', handle },
    binding: { parameters: [], source: sourceOf(definition, input) },
    guards,
    middleware,
    errors,
  };
}

function nameOf(definition: HandlerDefinition): string {
  if (definition.kind === 'completion') return definition.ref;
  return definition.name ?? ('uri' in definition ? definition.uri : '');
}

function sourceOf(definition: HandlerDefinition, input: SchemaLike | undefined): SchemaSource {
  if (input !== undefined) return explicitSource(input, groupsOf(definition));
  // Without a schema, a function takes the variables of its template as they come.
  return definition.kind === 'resource' ? { kind: 'schema', schema: { type: 'object' } } : { kind: 'none' };
}
