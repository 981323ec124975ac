import type { ManifestTool } from '@sigil/core/manifest';
import type { CheckCode, Finding } from './findings.js';
import { HOST_RULES, type HostEffect, type HostName, type HostRule } from './host-rules.js';
import { placesIn, type SchemaLocation } from './schema-locations.js';

const CODES: Readonly<Record<HostEffect, CheckCode>> = {
  refuses: 'CHECK_HOST_REFUSES',
  ignores: 'CHECK_HOST_IGNORES',
  strict: 'CHECK_HOST_NOT_STRICT',
};

const SAYS: Readonly<Record<HostEffect, string>> = {
  refuses: 'refuses',
  ignores: 'ignores',
  strict: 'refuses in strict mode',
};

/** Maximum number of places in one finding. */
const MOST_PLACES = 5;

/**
 * Finds everything in a tool that a model host, such as OpenAI, does not support. Checks the names of the tool and of
 * its arguments, and the input schema.
 *
 * @param isStrict whether to include the limits of the host's strict mode.
 */
export function checkHost(tool: ManifestTool, host: HostName, isStrict: boolean): Finding[] {
  const places = placesIn(tool.inputSchema);
  return HOST_RULES[host]
    .filter(({ effect }) => isStrict || effect !== 'strict')
    .flatMap((rule) =>
      [...objections(rule, tool, places)].map(([what, paths]) => ({
        code: CODES[rule.effect],
        where: `tool ${tool.name}`,
        what: `${host} ${SAYS[rule.effect]} ${what}${listed(paths)}`,
        source: rule.source,
      })),
    );
}

/** Returns the violations of a rule in a tool, with their paths in the input schema. */
function objections(
  rule: HostRule,
  tool: ManifestTool,
  places: readonly SchemaLocation[],
): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const object = (what: string, path: string): unknown =>
    found.set(what, (found.get(what) ?? new Set()).add(path));
  if (rule.toolName?.test(tool.name) === false)
    object(`names that do not match ${String(rule.toolName)}`, '');
  for (const name of Object.keys(tool.inputSchema['properties'] ?? {}))
    if (rule.argumentName?.test(name) === false)
      object(`arguments that do not match ${String(rule.argumentName)}`, name);
  for (const place of places) {
    for (const keyword of rule.keywords ?? [])
      if (keyword in place.schema) object(`\`${keyword}\``, place.path);
    for (const [what, isMeant] of Object.entries(rule.schemas ?? {}))
      if (isMeant(place)) object(what, place.path);
  }
  return found;
}

function listed(paths: ReadonlySet<string>): string {
  const named = [...paths].filter((path) => path !== '');
  if (named.length === 0) return '';
  const more = named.length - MOST_PLACES;
  return `: ${named.slice(0, MOST_PLACES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
