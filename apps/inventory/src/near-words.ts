/**
 * Finds the candidates whose spelling is most similar to a word. Case is ignored.
 *
 * @param limit the maximum number of results.
 * @returns the candidates that differ in at most half of their letters, the most similar first.
 */
export function nearWords(word: string, candidates: readonly string[], limit = 3): string[] {
  const wanted = word.toUpperCase();
  return candidates
    .map((candidate) => ({ candidate, distance: distanceBetween(wanted, candidate.toUpperCase()) }))
    .filter(({ candidate, distance }) => distance <= candidate.length / 2)
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, limit)
    .map(({ candidate }) => candidate);
}

/** How many letters must be added, removed or replaced to turn one word into the other (Levenshtein). */
function distanceBetween(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (above[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    above = current;
  }
  return above[to.length] ?? 0;
}
