const MAX_LENGTH = 40;

/** Returns the candidate that a misspelt name most likely means; `undefined` if none is similar enough. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const wanted = simplify(name);
  let best: string | undefined;
  // A name with one letter would otherwise match names that have nothing in common with it.
  let least = Math.min(Math.max(1, Math.floor(wanted.length / 3)) + 0.75, wanted.length);
  for (const candidate of candidates) {
    if (candidate.length > MAX_LENGTH) continue;
    const spelt = simplify(candidate);
    // Few misspell the first letter, so it decides between candidates equally far.
    const distance = distanceBetween(wanted, spelt) + (spelt[0] === wanted[0] ? 0 : 0.5);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

/** Returns a name in lower case and without separators, because misspellings mostly differ in these. */
function simplify(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, '');
}

/**
 * Returns the number of characters that must be inserted, deleted or replaced to change one text into the
 * other.
 */
function distanceBetween(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
