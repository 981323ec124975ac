import type { FunctionDefinition } from '../decorators/define.js';
import type { Declaration } from '../registry/declaration.js';
import { explicitSource } from '../registry/parameters.js';

/** Gives a function definition the shape that scanning gives a decorated method. */
export function declareFunction({
  definition,
  input,
  handle,
  guards,
  middleware,
}: FunctionDefinition): Declaration {
  const name =
    'name' in definition && definition.name ? definition.name : 'uri' in definition ? definition.uri : '';
  const kind = definition.kind.charAt(0).toUpperCase() + definition.kind.slice(1);
  return {
    definition,
    where: `define${kind}('${name}')`,
    target: { kind: 'function', handle },
    binding: { parameters: [], source: input === undefined ? { kind: 'none' } : explicitSource(input) },
    guards,
    middleware,
  };
}
