import { isPlain } from './is-plain.js';
import type { TextTest } from './pattern-tools.js';

/** So many steps are a matter of a few milliseconds. */
const MAX_STEPS = 1e6;

/** A regular expression that cannot be made to backtrack. */
export class SafePattern {
  readonly #native: RegExp;
  /** The length of a text up to which the native engine is fast enough; undefined until that is known. */
  #nativeLength: number | undefined;
  #linear: TextTest | undefined;
  #settling: Promise<void> | undefined;

  /** @throws SyntaxError when it is no regular expression. */
  constructor(
    readonly source: string,
    readonly flags: string,
  ) {
    // With `g` an engine would go on where it stopped.
    this.#native = new RegExp(source, flags.replace(/[dgy]/g, ''));
    if (isPlain(source, flags)) this.#nativeLength = Infinity;
  }

  /** Whether it is known how to run it. */
  get settled(): boolean {
    return this.#nativeLength !== undefined;
  }

  /** The longest text it is tried on, in UTF-16 code units; 0 when nothing runs it safely, or that is not known yet. */
  get longest(): number {
    return this.#linear ? Infinity : (this.#nativeLength ?? 0);
  }

  /** Finds out how to run it. */
  settle(): Promise<void> {
    return (this.#settling ??= this.#analyse());
  }

  /** Whether a text has a match. A text that is too long for it has none. */
  test(text: string): boolean {
    if (text.length > (this.#nativeLength ?? 0)) return this.#linear?.(text) ?? false;
    try {
      return this.#native.test(text);
    } catch {
      // The engine has room for so many places to come back to.
      return false;
    }
  }

  async #analyse(): Promise<void> {
    const { analysePattern } = await import('./pattern-tools.js');
    const analysis = analysePattern(this.source, this.flags);
    const { exponent } = analysis;
    const nativeLength = exponent <= 1 ? Infinity : Math.floor(MAX_STEPS ** (1 / exponent));
    if (exponent > 1) this.#linear = await analysis.linear();
    this.#nativeLength = exponent === Infinity ? 0 : nativeLength;
  }
}
