/** An inclusive range of code points, or of code units in a pattern without the `u` flag. */
export type Range = readonly [from: number, to: number];

/** A set of characters: ranges in order that do not touch. */
export type CharacterSet = readonly Range[];

/** Joins ranges, in any order, to a set. */
export function setOf(ranges: readonly Range[]): CharacterSet {
  const joined: [number, number][] = [];
  for (const [from, to] of [...ranges].sort(([a], [b]) => a - b)) {
    const last = joined.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

/** Everything up to `max` that is not in a set. */
export function complement(set: CharacterSet, max: number): CharacterSet {
  const rest: Range[] = [];
  let next = 0;
  for (const [from, to] of set) {
    if (from > next) rest.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= max) rest.push([next, max]);
  return rest;
}

/** What is in both sets. */
export function intersection(one: CharacterSet, other: CharacterSet): CharacterSet {
  const both = one.flatMap(([from, to]) =>
    other.map(([first, last]): Range => [Math.max(from, first), Math.min(to, last)]),
  );
  return both.filter(([from, to]) => from <= to);
}

/** Whether two sets have a character in common. */
export function overlap(one: CharacterSet, other: CharacterSet): boolean {
  let at = 0;
  for (const [from, to] of one) {
    while (at < other.length && (other[at] as Range)[1] < from) at++;
    if (at < other.length && (other[at] as Range)[0] <= to) return true;
  }
  return false;
}
