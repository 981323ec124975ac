import type { DefinitionProblem } from '../../errors/errors.js';
import type { JsonSchema } from '../../protocol/json.js';
import { patternsIn } from '../json-schema/json-schema.js';
import { shorten } from '../messages/describe-value.js';
import type { Cost } from './backtracking.js';
import type { TextTest } from './engine.js';
import { cannotBacktrack, skeletonOf } from './quick-scan.js';

/** The patterns of an app, each once. Loads nothing until one is not safe at a glance. */
export class PatternPool {
  readonly #patterns = new Map<string, SafePattern>();
  readonly #unsettled = new Map<SafePattern, string>();

  /**
   * Takes a pattern in. It must be ready before it is tested.
   * @param where the place for problem reports.
   * @throws SyntaxError if it is not a regular expression.
   */
  add(source: string, flags: string, where: string): SafePattern {
    const key = `/${source}/${flags}`;
    const pattern = this.#patterns.get(key) ?? new SafePattern(source, flags);
    this.#patterns.set(key, pattern);
    if (!pattern.settled && !this.#unsettled.has(pattern)) this.#unsettled.set(pattern, where);
    return pattern;
  }

  /** Settles every pattern that is not; undefined when all are. */
  ready(): Promise<void> | undefined {
    return this.#unsettled.size === 0 ? undefined : this.settle().then(() => undefined);
  }

  /** Settles all open patterns. @returns their problems. */
  async settle(): Promise<DefinitionProblem[]> {
    const added = [...this.#unsettled];
    await Promise.all(added.map(([pattern]) => pattern.settle()));
    for (const [pattern] of added) this.#unsettled.delete(pattern);
    const problems = added.flatMap(([pattern, where]) => problemOf(pattern, where) ?? []);
    // A decorator and its schema have the same pattern, with different flags.
    return [...new Map(problems.map((problem) => [`${problem.where} ${problem.what}`, problem])).values()];
  }

  /** The verdicts on patterns that need parsing, for those that the native engine runs alone. */
  get verdicts(): readonly PatternVerdict[] {
    return [...this.#patterns.values()].flatMap(({ verdict }) => verdict ?? []);
  }

  /** Whether another engine than the native one runs a pattern. */
  get needsEngine(): boolean {
    return [...this.#patterns.values()].some(({ isLinear }) => isLinear);
  }

  /** The longest text a pattern is tried on, in UTF-16 code units. */
  longestFor(source: string): number {
    const known = [...this.#patterns.values()].filter((one) => one.settled && one.source === source);
    return Math.min(...known.map(({ longest }) => longest));
  }
}

/** The verdict on a pattern: the length of a text up to which the native engine is fast enough. */
export interface PatternVerdict {
  readonly source: string;
  readonly flags: string;
  /** `null` for any length. */
  readonly length: number | null;
}

const PREPARED = new Map<string, number>();

/** Accepts the verdicts on patterns from the build of a program, which saves their analysis. */
export function preparePatterns(verdicts: readonly PatternVerdict[]): void {
  for (const { source, flags, length } of verdicts) PREPARED.set(`/${source}/${flags}`, length ?? Infinity);
}

/** The problem of a settled pattern. @param where the place that uses it. */
export function problemOf(pattern: SafePattern, where: string): DefinitionProblem | undefined {
  if (pattern.longest > 0) return undefined;
  const source = shorten(pattern.source, SHOWN_SOURCE);
  if (pattern.isTooDeep)
    return {
      code: 'SIGIL_UNSAFE_PATTERN',
      where,
      what: `the pattern ${source} has more than ${MAX_NESTING} groups within each other`,
      fix: 'nest fewer groups',
    };
  return {
    code: 'SIGIL_UNSAFE_PATTERN',
    where,
    what: `the pattern ${source} repeats what can be read in several ways: a short text could keep the server busy for hours`,
    fix: 'repeat only what begins or ends with a character that is not within, as in ^[a-z]+(-[a-z]+)*$; or do without lookarounds and backreferences, so that it runs on an engine that does not backtrack',
  };
}

/** Maximum number of characters of a pattern in a problem. */
const SHOWN_SOURCE = 200;
/** Deeper patterns would exhaust the stack of recursive readers. */
const MAX_NESTING = 100;

/** So many steps are a matter of a few milliseconds. */
const MAX_STEPS = 1e6;
/** The binary logarithm of the ways that may be gone for each character of a text of any length. */
const MAX_CHOICES_ANYWHERE = 4;

/** A regular expression that cannot be made to backtrack. */
export class SafePattern {
  readonly #native: RegExp;
  /** The length of a text up to which the native engine is fast enough; `undefined` until it is known. */
  #nativeLength: number | undefined;
  #linear: TextTest | undefined;
  #settling: Promise<void> | undefined;

  /** @throws SyntaxError if it is not a regular expression. */
  constructor(
    readonly source: string,
    readonly flags: string,
  ) {
    // With `g` an engine would continue from its last match.
    this.#native = new RegExp(source, flags.replace(/[dgy]/g, ''));
    if (cannotBacktrack(source, flags)) this.#nativeLength = Infinity;
    else this.#nativeLength = PREPARED.get(`/${source}/${flags}`);
  }

  /** The verdict; `undefined` if another engine runs the pattern, or if it needs no parsing. */
  get verdict(): PatternVerdict | undefined {
    const { source, flags } = this;
    const length = this.#nativeLength;
    if (length === undefined || length === 0 || this.#linear || cannotBacktrack(source, flags))
      return undefined;
    return { source, flags, length: length === Infinity ? null : length };
  }

  /** Whether it is known how to run it. */
  get settled(): boolean {
    return this.#nativeLength !== undefined;
  }

  /** The longest text it is tried on, in UTF-16 code units; 0 when nothing runs it safely, or that is not known yet. */
  get longest(): number {
    return this.#linear ? Infinity : (this.#nativeLength ?? 0);
  }

  /** Whether the native engine is fast enough for it on texts of any length. */
  get isNative(): boolean {
    return this.#nativeLength === Infinity;
  }

  /** Whether its groups are too many within each other to be analysed. */
  get isTooDeep(): boolean {
    return nestingOf(this.source, this.flags) > MAX_NESTING;
  }

  /** Whether an engine runs it whose steps grow with the length alone. */
  get isLinear(): boolean {
    return this.#linear !== undefined;
  }

  /** Finds out how to run it. */
  settle(): Promise<void> {
    return (this.#settling ??= this.#analyse());
  }

  /** Whether a text matches. A text that is too long for the pattern does not. */
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

/** The longest text that the native engine matches in few enough steps. */
function longestNatively({ exponent, choices }: Cost): number {
  if (exponent === 0 || (exponent === 1 && choices <= MAX_CHOICES_ANYWHERE)) return Infinity;
  return exponent === Infinity ? 0 : Math.floor((MAX_STEPS / 2 ** choices) ** (1 / exponent));
}

/** How many groups stand within each other at most. With the `v` flag classes do, too. */
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

/** Adds the patterns of a schema. The compiler of the schema refuses invalid ones. */
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
