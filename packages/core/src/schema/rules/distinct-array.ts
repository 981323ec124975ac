/**
 * An array that finds its distinct elements in one pass. class-validator filters an array to count them, and looks for
 * each element from the start again, which takes minutes with a million of them; its `filter` is asked once, so it may as well answer.
 */
export class DistinctArray extends Array<unknown> {
  /** Each element once, whatever is asked. NaN, which is not found by looking for it, is left out. */
  override filter(): never[] {
    return [...new Set(this)].filter((element) => !Number.isNaN(element)) as never[];
  }
}
