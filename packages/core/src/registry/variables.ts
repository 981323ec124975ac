import type { Problem } from '../errors/definition-error.js';
import type { ResourceDefinition } from '../metadata/definitions.js';
import { isObject } from '../protocol/json.js';
import type { UriTemplate } from '../protocol/uri-template/index.js';
import type { ValuePlan } from '../schema/index.js';
import type { Declaration } from './declaration.js';

/** Holds the variables of a URI template against what its handler receives, in both directions. */
export function checkVariables(
  declaration: Declaration<ResourceDefinition>,
  template: UriTemplate,
  input: ValuePlan,
): Problem[] {
  // A function receives all variables in one object.
  if (declaration.target.kind === 'function' && declaration.binding.source.kind === 'none') return [];
  const properties = isObject(input.advertised['properties']) ? input.advertised['properties'] : {};
  const received = Object.keys(properties);
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
