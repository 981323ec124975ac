import { canonicalJson, type JsonObject } from '../json.js';
import { type Report, shown } from './difference.js';

/** Keywords that say something about values and refuse none. */
const DESCRIBING: ReadonlySet<string> = new Set([
  '$comment',
  '$schema',
  'default',
  'deprecated',
  'description',
  'examples',
  'readOnly',
  'title',
  'writeOnly',
]);
/** Keywords that are compared through the references to them, if at all. */
const NAMING: ReadonlySet<string> = new Set(['$anchor', '$defs', '$id', 'definitions']);
/** An extension that does bind clients: the header they repeat an argument in (2026-07-28, transports). */
const HEADER = 'x-mcp-header';

/** Compares keywords that nothing else compares: those that describe, and those that nobody knows. */
export function compareOtherKeywords(
  before: JsonObject,
  after: JsonObject,
  known: ReadonlySet<string>,
  report: Report,
): void {
  const keywords = new Set([...Object.keys(before), ...Object.keys(after)]);
  for (const keyword of [...keywords].sort()) {
    if (known.has(keyword) || NAMING.has(keyword)) continue;
    const [was, is] = [before[keyword], after[keyword]];
    if (canonicalJson(was) === canonicalJson(is)) continue;
    const describes = DESCRIBING.has(keyword) || (keyword.startsWith('x-') && keyword !== HEADER);
    report(describes ? 'wording' : 'other', `${keyword} ${shown(was)} → ${shown(is)}`);
  }
}
