const BRAND = Symbol.for('sigil:suspension');

/**
 * Ends the run of a handler whose question has no answer yet (2026-07-28): the client gets the question, and the handler runs
 * again from its beginning when the client repeats the request with the answer. `finally`, `using` and middleware run as after any
 * other throw. It is not an `Error`, so `catch (error) { if (error instanceof MyError) …; throw error }` lets it pass.
 *
 * Code that catches everything has to let it pass too:
 *
 * @example
 * ```ts
 * try {
 *   await ctx.elicit('Sure?', Consent);
 * } catch (error) {
 *   if (isSuspension(error)) throw error;
 *   return 'The question could not be asked';
 * }
 * ```
 */
export class Suspension {
  // Without a member of its own every object has this type, and after `isSuspension` nothing is left of an error.
  declare protected readonly nominal: true;

  /** Says what it is to an author whose handler catches it. */
  toString(): string {
    return 'Suspension: the handler waits for an answer of the client and runs again with it; let this pass';
  }
}

Object.defineProperty(Suspension.prototype, BRAND, { value: true });

/** Whether a thrown value is a `Suspension`, of this copy of the package or another. */
export function isSuspension(thrown: unknown): thrown is Suspension {
  return typeof thrown === 'object' && thrown !== null && BRAND in thrown;
}
