import type { ValidationError } from 'class-validator';
import type { ClassLibraries } from './class-libraries.js';
import { describeValue } from './describe-value.js';
import { type Issue, InvalidValueError } from './invalid-value-error.js';
import { joinPath } from './paths.js';

/**
 * Runs class-validator itself on an instance, for classes with rules that a schema cannot hold: an author's own,
 * conditional or asynchronous ones.
 * @param path where the instance is in the value.
 * @throws InvalidValueError (rejects). A rule that throws counts as one that is not satisfied.
 */
export async function judge(libraries: ClassLibraries, instance: object, path: string): Promise<object> {
  let errors: readonly ValidationError[];
  try {
    errors = await libraries.validate(instance);
  } catch (cause) {
    throw new InvalidValueError([unchecked(path)], { cause });
  }
  if (errors.length > 0) throw new InvalidValueError(errors.flatMap((error) => issuesOf(error, path)));
  return instance;
}

/** Judges an instance, or each of an array of them. What is no object has nothing to judge. */
export async function judgeAll(libraries: ClassLibraries, value: unknown, path: string): Promise<unknown> {
  if (Array.isArray(value)) {
    await Promise.all(value.map((element, index) => judgeAll(libraries, element, `${path}[${index}]`)));
  } else if (typeof value === 'object' && value !== null) await judge(libraries, value, path);
  return value;
}

/** Wraps what class-transformer or a function of the author threw while an instance was made. */
export function unmakeable(path: string, cause: unknown): InvalidValueError {
  return new InvalidValueError([unchecked(path)], { cause });
}

function unchecked(path: string): Issue {
  const expected = 'a value that its rules can judge';
  const message = `${path === '' ? '' : `${path}: `}a rule could not judge this value`;
  return { path, expected, received: 'a value that made a rule fail', message };
}

function issuesOf(error: ValidationError, parent: string): Issue[] {
  const path = joinPath(parent, error.property, /^\d+$/.test(error.property));
  const own = Object.values(error.constraints ?? {}).map((expected): Issue => {
    const received = describeValue(error.value);
    return { path, expected, received, message: `${path}: ${expected}; received ${received}` };
  });
  return [...own, ...(error.children ?? []).flatMap((child) => issuesOf(child, path))];
}
