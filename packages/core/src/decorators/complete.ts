import { addHandler } from '../metadata/store.js';

/**
 * Makes a method the source of completions for one argument of a prompt or one variable of a resource template.
 *
 * **Parameters**: what the user has typed so far, as a string, and a `CompletionContext` in any position.
 *
 * **Return value**: the suggestions, best first. At most 100 are sent; `total` and `hasMore` are filled in.
 *
 * @param ref the name of the prompt, or the URI template exactly as `@Resource` has it.
 * @param argument the name of the argument or variable.
 * Specification 2026-07-28, server/utilities/completion.
 */
export function Complete(ref: string, argument: string): MethodDecorator {
  return (prototype, method) => addHandler(prototype, method, { kind: 'completion', ref, argument });
}
