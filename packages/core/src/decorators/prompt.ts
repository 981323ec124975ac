import type { Presentation, SchemaLike } from '../metadata/definitions.js';
import { addHandler } from '../metadata/store.js';

/** What `@Prompt` may be told. */
export interface PromptOptions extends Presentation {
  /** Schema of the arguments, for a handler whose parameter types say nothing. */
  readonly input?: SchemaLike;
  /** Validation groups of class-validator, as in `@Tool`. */
  readonly groups?: readonly string[];
}

/**
 * Makes a method a prompt.
 *
 * **Name**: the method's name in snake_case, unless `name` is given.
 *
 * **Parameters**: one DTO class, or values marked with `@Arg`, and a `PromptContext` in any position. Prompt arguments
 * are strings on the wire; for a number or boolean they are converted when nothing is lost.
 *
 * **Return value**: a string or content becomes one user message; messages made by `user()` and `assistant()`, alone or
 * in an array, are used in order; an object with `messages` is the whole result.
 *
 * Specification 2026-07-28, server/prompts.
 */
export function Prompt(options: PromptOptions = {}): MethodDecorator {
  return (prototype, method) => addHandler(prototype, method, { ...options, kind: 'prompt' });
}
