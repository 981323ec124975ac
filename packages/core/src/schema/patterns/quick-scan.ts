// The page of `sigil dev` has this file alone of the core, so it imports nothing.

/** Maximum number of groups without a parser. More groups could have too many combinations of branches. */
const MAX_GROUPS = 8;

/**
 * Whether a quick scan shows that a pattern cannot backtrack: no group is repeated, the pattern has no lookarounds
 * or backreferences, and an anchored pattern has at most one part of variable length. Other patterns are parsed,
 * which loads a library.
 *
 * @example
 * ```ts
 * cannotBacktrack('^(a+)+$', 'u'); // false
 * ```
 *
 * @param flags the flags of the pattern, as in `RegExp`.
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

/** Removes the contents of escapes and character classes from a pattern. */
export function skeletonOf(source: string): string {
  return source.replace(/\\.|\[(?:\\.|[^\]\\])*\]/gs, 'x');
}
