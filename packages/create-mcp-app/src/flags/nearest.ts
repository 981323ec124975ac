import { closest, distance } from 'fastest-levenshtein';

/** How many letters of a word may be wrong: a third, and one at least. */
const tolerated = (word: string): number => Math.max(1, Math.floor(word.length / 3));

/** The word that was probably meant, if one is near enough. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const candidate = closest(word, known);
  return distance(word, candidate) <= tolerated(word) ? candidate : undefined;
}
