import type { Change } from './change.js';
import type { Place } from './diff-members.js';

/** Pairs the entries of one kind by their keys, and compares those that both contracts have. */
export function diffEntries<E>(
  kind: string,
  before: readonly E[],
  after: readonly E[],
  key: (entry: E) => string,
  diff: (before: E, after: E, place: Place) => Change[],
): Change[] {
  const [was, is] = [byKey(before, key), byKey(after, key)];
  return [...new Set([...was.keys(), ...is.keys()])].sort().flatMap((name) => {
    const place: Place = (level, path, what) => ({ level, where: `${kind} ${name}`, path, what });
    const [one, other] = [was.get(name), is.get(name)];
    if (one === undefined) return [place('additive', '', `${kind} added`)];
    if (other === undefined) return [place('breaking', '', `${kind} removed`)];
    return diff(one, other, place);
  });
}

function byKey<E>(entries: readonly E[], key: (entry: E) => string): Map<string, E> {
  return new Map(entries.map((entry) => [key(entry), entry]));
}
