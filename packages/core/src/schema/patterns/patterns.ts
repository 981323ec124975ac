import type { DefinitionProblem } from '../../errors/errors.js';
import type { JsonSchema } from '../../protocol/json.js';
import { patternsIn } from '../json-schema/json-schema.js';
import { shorten } from '../messages/describe-value.js';
import type { Cost } from './backtracking.js';
import type { TextTest } from './engine.js';
import { cannotBacktrack, skeletonOf } from './quick-scan.js';

/**
 * The regular expressions of an app, each of them once. The pattern parser is loaded only if a quick scan cannot
 * show that a pattern is safe.
 */
export class PatternPool {
  readonly #patterns = new Map<string, SafePattern>();
  readonly #unsettled = new Map<SafePattern, string>();

  /**
   * Adds a pattern. Call `ready()` before you test texts with the pattern.
   * @param where the place that uses the pattern. Problem reports contain it.
   * @throws SyntaxError if the source is not a regular expression.
   */
  add(source: string, flags: string, where: string): SafePattern {
    const key = `/${source}/${flags}`;
    const pattern = this.#patterns.get(key) ?? new SafePattern(source, flags);
    this.#patterns.set(key, pattern);
    if (!pattern.settled && !this.#unsettled.has(pattern)) this.#unsettled.set(pattern, where);
    return pattern;
  }

  /** Analyses the patterns that have not been analysed. @returns `undefined` if there are none. */
  ready(): Promise<void> | undefined {
    return this.#unsettled.size === 0 ? undefined : this.settle().then(() => undefined);
  }

  /** Analyses the patterns that have not been analysed yet. @returns the problems of the unsafe patterns among them. */
  async settle(): Promise<DefinitionProblem[]> {
    const added = [...this.#unsettled];
    await Promise.all(added.map(([pattern]) => pattern.settle()));
    for (const [pattern] of added) this.#unsettled.delete(pattern);
    const problems = added.flatMap(([pattern, where]) => problemOf(pattern, where) ?? []);
    // A decorator and its schema have the same pattern, with different flags.
    return [...new Map(problems.map((problem) => [`${problem.where} ${problem.what}`, problem])).values()];
  }

  /**
   * The results of the analysis. Patterns that needed no analysis, and patterns that the linear-time engine runs, have
   * no result.
   */
  get verdicts(): readonly PatternVerdict[] {
    return [...this.#patterns.values()].flatMap(({ verdict }) => verdict ?? []);
  }

  /** Whether any pattern needs the linear-time engine. */
  get needsEngine(): boolean {
    return [...this.#patterns.values()].some(({ isLinear }) => isLinear);
  }

  /**
   * Returns the maximum length of a text that is tested with a pattern, in UTF-16 code units. Longer texts count as not
   * matching. `Infinity` means that there is no limit.
   */
  longestFor(source: string): number {
    const known = [...this.#patterns.values()].filter((one) => one.settled && one.source === source);
    return Math.min(...known.map(({ longest }) => longest));
  }
}

/**
 * The result of the analysis of a pattern: the maximum length of a text that JavaScript's own engine tests fast enough.
 */
export interface PatternVerdict {
  readonly source: string;
  readonly flags: string;
  /** The maximum length in UTF-16 code units; `null` if there is no limit. */
  readonly length: number | null;
}

const PREPARED = new Map<string, number>();

/**
 * Registers the results of pattern analyses that ran when the program was built. The start of the program does not
 * repeat these analyses.
 */
export function preparePatterns(verdicts: readonly PatternVerdict[]): void {
  for (const { source, flags, length } of verdicts) PREPARED.set(`/${source}/${flags}`, length ?? Infinity);
}

/**
 * Returns the problem of an analysed pattern; `undefined` if the pattern has no problem.
 * @param where the place that uses the pattern.
 */
export function problemOf(pattern: SafePattern, where: string): DefinitionProblem | undefined {
  if (pattern.longest > 0) return undefined;
  const source = shorten(pattern.source, SHOWN_SOURCE);
  if (pattern.isTooDeep)
    return {
      code: 'SIGIL_UNSAFE_PATTERN',
      where,
      what: `the pattern ${source} has more than ${MAX_NESTING} nested groups`,
      fix: 'nest fewer groups',
    };
  return {
    code: 'SIGIL_UNSAFE_PATTERN',
    where,
    what: `the pattern ${source} repeats a part that can match the same text in several ways: a short text could keep the server busy for hours`,
    fix: 'repeat a part only if its first or last character occurs nowhere else in the part, for example ^[a-z]+(-[a-z]+)*$; or avoid lookarounds and backreferences, so that an engine without backtracking can run the pattern',
  };
}

/** Maximum number of characters of a pattern in an error message. */
const SHOWN_SOURCE = 200;
/** Maximum number of nested groups. Deeper patterns would overflow the stack of recursive parsers. */
const MAX_NESTING = 100;

/** Maximum number of steps, which take a few milliseconds. */
const MAX_STEPS = 1e6;
/** Maximum number of ways to match for each character of a text of any length, as a binary logarithm. */
const MAX_CHOICES_ANYWHERE = 4;

/** A regular expression that cannot backtrack excessively. */
export class SafePattern {
  readonly #native: RegExp;
  /**
   * The maximum length of a text that the native engine is fast enough for; `undefined` before the analysis.
   */
  #nativeLength: number | undefined;
  #linear: TextTest | undefined;
  #settling: Promise<void> | undefined;

  /** @throws SyntaxError if the source is not a regular expression. */
  constructor(
    readonly source: string,
    readonly flags: string,
  ) {
    // With `g` an engine would continue from its last match.
    this.#native = new RegExp(source, flags.replace(/[dgy]/g, ''));
    if (cannotBacktrack(source, flags)) this.#nativeLength = Infinity;
    else this.#nativeLength = PREPARED.get(`/${source}/${flags}`);
  }

  /**
   * The result of the analysis; `undefined` if the linear-time engine runs the pattern, or if no analysis was
   * needed.
   */
  get verdict(): PatternVerdict | undefined {
    const { source, flags } = this;
    const length = this.#nativeLength;
    if (length === undefined || length === 0 || this.#linear || cannotBacktrack(source, flags))
      return undefined;
    return { source, flags, length: length === Infinity ? null : length };
  }

  /** Whether the pattern has been analysed. */
  get settled(): boolean {
    return this.#nativeLength !== undefined;
  }

  /**
   * The maximum length of a text that is tested with the pattern, in UTF-16 code units. Longer texts count as not
   * matching. The value is 0 before the analysis, and if no engine can run the pattern safely.
   */
  get longest(): number {
    return this.#linear ? Infinity : (this.#nativeLength ?? 0);
  }

  /** Whether the native engine is fast enough for texts of any length. */
  get isNative(): boolean {
    return this.#nativeLength === Infinity;
  }

  /** Whether the pattern has too many nested groups for an analysis. */
  get isTooDeep(): boolean {
    return nestingOf(this.source, this.flags) > MAX_NESTING;
  }

  /** Whether the linear-time engine runs the pattern, and not the native engine. */
  get isLinear(): boolean {
    return this.#linear !== undefined;
  }

  /** Analyses the pattern. */
  settle(): Promise<void> {
    return (this.#settling ??= this.#analyse());
  }

  /** Returns whether a text matches the pattern. A text that is longer than `longest` does not match. */
  test(text: string): boolean {
    if (text.length > (this.#nativeLength ?? 0)) return this.#linear?.(text) ?? false;
    try {
      return this.#native.test(text);
    } catch {
      // The engine has room for so many places to come back to.
      return false;
    }
  }

  async #analyse(): Promise<void> {
    if (this.isTooDeep) {
      this.#nativeLength = 0;
      return;
    }
    const { analysePattern } = await import('#pattern-engine');
    const analysis = analysePattern(this.source, this.flags);
    const nativeLength = longestNatively(analysis);
    if (nativeLength < Infinity) this.#linear = await analysis.linear();
    this.#nativeLength = nativeLength;
  }
}

/** Returns the maximum length of a text that the native engine matches in few enough steps. */
function longestNatively({ exponent, choices }: Cost): number {
  if (exponent === 0 || (exponent === 1 && choices <= MAX_CHOICES_ANYWHERE)) return Infinity;
  return exponent === Infinity ? 0 : Math.floor((MAX_STEPS / 2 ** choices) ** (1 / exponent));
}

/** Returns the maximum depth of nested groups, and of nested classes with the `v` flag. */
function nestingOf(source: string, flags: string): number {
  const areClassesNested = flags.includes('v');
  const text = areClassesNested ? source.replace(/\\./gs, 'x') : skeletonOf(source);
  let depth = 0;
  let deepest = 0;
  for (const sign of text) {
    if (sign === '(' || (areClassesNested && sign === '[')) depth += 1;
    else if (sign === ')' || (areClassesNested && sign === ']')) depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/**
 * Adds the patterns of a schema to a pool. Invalid patterns are skipped, because the schema compiler reports
 * them.
 */
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
