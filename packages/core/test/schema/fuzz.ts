const DEEP_RUNS = process.env['SIGIL_FUZZ_RUNS'];

/**
 * How long a property is tried: the same values every time, unless SIGIL_FUZZ_RUNS asks for so many new ones.
 * @param numRuns how many values are enough ordinarily.
 */
export function fuzz(numRuns: number): { readonly numRuns: number; readonly seed?: number } {
  return DEEP_RUNS === undefined ? { numRuns, seed: 20_260_728 } : { numRuns: Number(DEEP_RUNS) };
}
