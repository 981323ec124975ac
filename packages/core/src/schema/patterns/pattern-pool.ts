import type { Problem } from '../../errors/definition-error.js';
import { SafePattern } from './safe-pattern.js';

/** The patterns of an app, each once. Loads nothing until one is not safe at a glance. */
export class PatternPool {
  readonly #patterns = new Map<string, SafePattern>();
  readonly #unsettled = new Map<SafePattern, string>();
  readonly #longest = new Map<string, number>();

  /**
   * Takes a pattern in. It must be ready before it is tested.
   * @param where the place for problem reports.
   * @throws SyntaxError when it is no regular expression.
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

  /** Settles every pattern that is not. @returns what is wrong with them. */
  async settle(): Promise<Problem[]> {
    const added = [...this.#unsettled];
    await Promise.all(added.map(([pattern]) => pattern.settle()));
    for (const [pattern] of added) {
      this.#unsettled.delete(pattern);
      if (pattern.longest < Infinity) this.#longest.set(pattern.source, pattern.longest);
    }
    const problems = added.flatMap(([pattern, where]) => problemOf(pattern, where) ?? []);
    // A decorator and the schema made of it have the same pattern, with different flags.
    return [...new Map(problems.map((problem) => [`${problem.where} ${problem.what}`, problem])).values()];
  }

  /** The longest text a pattern is tried on, in UTF-16 code units. */
  longestFor(source: string): number {
    return this.#longest.get(source) ?? Infinity;
  }
}

/** What is wrong with a settled pattern. @param where the place it is used at. */
export function problemOf({ longest, source }: SafePattern, where: string): Problem | undefined {
  if (longest > 0) return undefined;
  return {
    code: 'SIGIL_UNSAFE_PATTERN',
    where,
    what: `the pattern ${source} repeats what can be read in several ways: a short text could keep the server busy for hours`,
    fix: 'repeat only what begins or ends with a character that is not within, as in ^[a-z]+(-[a-z]+)*$; or do without lookarounds and backreferences, so that it runs on an engine that does not backtrack',
  };
}
