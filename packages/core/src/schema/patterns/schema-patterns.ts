import type { JsonSchema } from '../../protocol/json.js';
import type { PatternPool } from './pattern-pool.js';
import { patternsIn } from './patterns-in.js';
import type { SafePattern } from './safe-pattern.js';

/** Takes the patterns of a schema in. Those that are no regular expressions are for the compiler of the schema to refuse. */
export function addPatterns(schema: JsonSchema, patterns: PatternPool, where: string): SafePattern[] {
  return [...patternsIn(schema)].flatMap((source) => added(source, 'u') ?? added(source, '') ?? []);

  function added(source: string, flags: string): SafePattern | undefined {
    try {
      return patterns.add(source, flags, where);
    } catch {
      return undefined;
    }
  }
}
