/**
 * Writes which attributes OpenTelemetry's conventions for MCP ask for, and how strictly, as the tests of @sigil/otel read it.
 *
 *     node scripts/conventions.mjs <model/mcp of open-telemetry/semantic-conventions-genai> [file=commit …]
 *
 * Files are named with the commit they are of where they are not all of one.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const [folder, ...commits] = process.argv.slice(2);
if (folder === undefined) throw new Error('say where the model is: node scripts/conventions.mjs <folder>');
const files = ['common.yaml', 'spans.yaml', 'metrics.yaml'].map((name) =>
  parse(readFileSync(join(folder, name), 'utf8')),
);
const groups = new Map(
  files.flatMap(({ attribute_groups = [] }) => attribute_groups).map((group) => [group.id, group.attributes]),
);

/** The word of a level that may say when it holds. */
const word = (level) => (typeof level === 'object' ? Object.keys(level)[0] : level);

/** The level of an attribute where nothing else is said of it: that of the groups, else `recommended`, the default of the language. */
function usual(name) {
  for (const attributes of groups.values())
    for (const { ref, requirement_level } of attributes)
      if (ref === name && requirement_level) return word(requirement_level);
  return 'recommended';
}

/** The attributes of a signal, by name, groups included. */
function levelsOf(attributes) {
  const levels = {};
  for (const { ref, ref_group, requirement_level } of attributes) {
    if (ref_group) Object.assign(levels, levelsOf(groups.get(ref_group)));
    else levels[ref] = requirement_level ? word(requirement_level) : (levels[ref] ?? usual(ref));
  }
  return Object.fromEntries(Object.entries(levels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const spans = files.flatMap(({ spans: all = [] }) => all);
const metrics = files.flatMap(({ metrics: all = [] }) => all);
const written = {
  repository: 'open-telemetry/semantic-conventions-genai',
  commits: Object.fromEntries(commits.map((each) => each.split('='))),
  spans: Object.fromEntries(
    spans.map(({ type, kind, attributes }) => [type, { kind, attributes: levelsOf(attributes) }]),
  ),
  metrics: Object.fromEntries(
    metrics.map(({ name, instrument, unit, attributes }) => [
      name,
      { instrument, unit, attributes: levelsOf(attributes) },
    ]),
  ),
};
const target = new URL('../packages/otel/test/conventions.json', import.meta.url);
writeFileSync(target, `${JSON.stringify(written, undefined, 2)}\n`);
