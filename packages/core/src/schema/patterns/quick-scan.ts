// The page of `sigil dev` has this file alone of the core, so it imports nothing.

/** Maximum number of groups without a parser. More groups could have too many combinations of branches. */
const MAX_GROUPS = 8;

/**
 * Whether a quick scan shows that a pattern cannot backtrack. Such a pattern has no repeated groups, lookarounds or
 * backreferences. It has at most one part of variable length. A pattern with such a part must also start with `^`, and
 * must have neither groups nor alternatives. Other patterns need the parser, which loads a library.
 *
 * @param flags the flags of the pattern, as in `RegExp`.
 * @example
 * ```ts
 * cannotBacktrack('^(a+)+$', 'u'); // false
 * ```
 */
export function cannotBacktrack(source: string, flags: string): boolean {
  if (/[vy]/.test(flags)) return false;
  if (/\\[k1-9]|\(\?(?!:)/.test(source)) return false;
  const skeleton = skeletonOf(source);
  const variable = skeleton.replace(/\{\d{1,2}\}/g, '').match(/[*+?{]/g)?.length ?? 0;
  const groups = skeleton.match(/\((?!\?)|\(\?:/g)?.length ?? 0;
  // The question mark of `(?:` was counted.
  const quantified = variable - (skeleton.match(/\(\?:/g)?.length ?? 0);
  if (/\)[*+?{]/.test(skeleton)) return false;
  if (quantified === 0) return groups <= MAX_GROUPS;
  return (
    quantified === 1 &&
    groups === 0 &&
    skeleton.startsWith('^') &&
    !/[|]/.test(skeleton) &&
    !flags.includes('m')
  );
}

/**
 * Replaces each escape and each character class in a pattern by `x`, so that only groups, quantifiers and plain
 * characters remain.
 */
export function skeletonOf(source: string): string {
  return source.replace(/\\.|\[(?:\\.|[^\]\\])*\]/gs, 'x');
}
