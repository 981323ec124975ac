import { messageOf } from '../../errors/errors.js';
import { MAX_DEPTH } from '../../protocol/json.js';

/** One reason why a value does not fit. */
export interface Issue {
  /** The path in the value, such as `warehouses[0].code`; empty for the value itself. */
  readonly path: string;
  readonly expected: string;
  /** The received value, shortened. */
  readonly received: string;
  /** The whole problem in one line. */
  readonly message: string;
}

/** An issue whose message is a text, after the path if there is one. */
export function issueAt(path: string, expected: string, received: string, text: string): Issue {
  return { path, expected, received, message: path === '' ? text : `${path}: ${text}` };
}

const SHOWN_ISSUES = 20;

/** Thrown when a value does not satisfy a plan. Its message lists every problem, one a line, worded for a model. */
export class InvalidValueError extends Error {
  override readonly name = 'InvalidValueError';
  readonly issues: readonly Issue[];

  /** @param issues every problem found, at least one. */
  constructor(issues: readonly Issue[], options?: ErrorOptions) {
    super(list(issues), options);
    this.issues = issues;
  }
}

function list(issues: readonly Issue[]): string {
  const lines = issues.slice(0, SHOWN_ISSUES).map((issue) => issue.message);
  if (issues.length > SHOWN_ISSUES) lines.push(`… and ${issues.length - SHOWN_ISSUES} more problems`);
  return lines.join('\n');
}

/**
 * Thrown when a function that belongs to a DTO class throws or rejects: a constraint, a condition or a transform. It says nothing about
 * the value that came, so it is an unexpected error and not an `InvalidValueError`.
 */
export class DtoFunctionError extends Error {
  override readonly name = 'DtoFunctionError';

  /**
   * @param place the DTO class and its property, such as `CreateTicket.email`.
   * @param what the function that threw, such as `a constraint`.
   */
  constructor(place: string, what: string, cause: unknown) {
    super(`${what} of ${place} threw: ${messageOf(cause)}`, { cause });
  }
}

/** The problem with a value that is too deep. */
export function tooDeep(): Issue {
  const expected = `at most ${MAX_DEPTH} levels of objects and arrays`;
  return issueAt('', expected, 'more', `expected ${expected}, received more`);
}
