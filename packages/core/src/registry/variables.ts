import type { Problem } from '../errors/definition-error.js';
import type { ResourceDefinition } from '../metadata/definitions.js';
import type { UriTemplate } from '../protocol/uri-template/parse.js';
import type { ValuePlan } from '../schema/index.js';
import type { Declaration } from './declaration.js';

/** Holds the variables of a URI template against what its handler receives, in both directions. */
export function checkVariables(
  declaration: Declaration<ResourceDefinition>,
  template: UriTemplate,
  input: ValuePlan,
): Problem[] {
  const { properties = {} } = input.advertised;
  // A schema by hand that names no properties takes them all.
  const { source } = declaration.binding;
  if (source.kind === 'schema' && !('properties' in source.schema)) return [];
  const received = Object.keys(properties as object);
  const unknown = received.filter((name) => !template.variables.includes(name));
  const unbound = template.variables.filter((name) => !received.includes(name));
  const known = template.variables.length > 0 ? template.variables.join(', ') : 'none';
  return [
    ...unknown.map((name) => ({
      code: 'SIGIL_UNKNOWN_VARIABLE' as const,
      where: declaration.where,
      what: `it asks for the variable '${name}', which '${template.source}' does not have`,
      fix: `use a variable of the template (${known}), or add {${name}} to it`,
    })),
    ...unbound.map((name) => ({
      code: 'SIGIL_UNBOUND_VARIABLE' as const,
      where: declaration.where,
      what: `nothing receives the variable '${name}' of '${template.source}'`,
      fix: `add a parameter @Param('${name}') ${name}: string, or take {${name}} out of the template`,
    })),
  ];
}
