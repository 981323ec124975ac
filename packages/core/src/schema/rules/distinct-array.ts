/**
 * An array that finds its distinct elements in one pass. class-validator filters an array to count them, and looks for
 * each element from the start again, which takes minutes with a million of them; its `filter` is asked once, so it may as well answer.
 */
export class DistinctArray extends Array<unknown> {
  /** A copy of an array. */
  static copy(array: readonly unknown[]): DistinctArray {
    // Copying and then adopting takes a fraction of the time that adding element by element does.
    return Object.setPrototypeOf(array.slice(), DistinctArray.prototype) as DistinctArray;
  }

  /** Each element once, whatever is asked. NaN, which is not found by looking for it, is left out. */
  override filter(): never[] {
    const distinct = new Set<unknown>(this);
    distinct.delete(NaN);
    return [...distinct] as never[];
  }
}
