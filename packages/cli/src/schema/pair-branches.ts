import { canonicalJson } from '../json.js';

/** What a list of schemas gained and lost, and which of its members belong together. */
export interface BranchPairs {
  readonly pairs: readonly (readonly [before: unknown, after: unknown])[];
  readonly removed: readonly unknown[];
  readonly added: readonly unknown[];
}

/** Pairs branches that are written alike, then the rest in their order. */
export function pairBranches(before: readonly unknown[], after: readonly unknown[]): BranchPairs {
  const pairs: (readonly [unknown, unknown])[] = [];
  const rest = [...after];
  const unpaired = before.filter((branch) => {
    const text = canonicalJson(branch);
    const at = rest.findIndex((candidate) => canonicalJson(candidate) === text);
    if (at >= 0) pairs.push([branch, rest.splice(at, 1)[0]]);
    return at < 0;
  });
  const common = Math.min(unpaired.length, rest.length);
  for (let index = 0; index < common; index++) pairs.push([unpaired[index], rest[index]]);
  return { pairs, removed: unpaired.slice(common), added: rest.slice(common) };
}
