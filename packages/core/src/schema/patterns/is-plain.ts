/** So many branches without loops are tried at most in a tolerable number of ways. */
const MAX_GROUPS = 8;

/**
 * Whether a glance at a pattern shows that it cannot be made to backtrack: no group is repeated, nothing looks around or back,
 * and at most one thing is of variable length, in a pattern that is anchored. What is not plain is parsed, which costs a library.
 *
 * @param flags those of `RegExp`.
 */
export function isPlain(source: string, flags: string): boolean {
  if (/[vy]/.test(flags)) return false;
  if (/\\[k1-9]|\(\?(?!:)/.test(source)) return false;
  const skeleton = source.replace(/\\.|\[(?:\\.|[^\]\\])*\]/gs, 'x');
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
