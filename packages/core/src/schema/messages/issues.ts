import { messageOf } from '../../errors/errors.js';
import { MAX_DEPTH } from '../../protocol/json.js';

/** One reason why a value is invalid. */
export interface Issue {
  /**
   * The path of the invalid part in the validated value, such as `warehouses[0].code`; empty for the validated
   * value itself.
   */
  readonly path: string;
  readonly expected: string;
  /** The received value, shortened. */
  readonly received: string;
  /** The message: one line with path, expected value and received value. */
  readonly message: string;
}

/** Creates an issue whose message consists of the path, if there is one, and a text. */
export function issueAt(path: string, expected: string, received: string, text: string): Issue {
  return { path, expected, received, message: path === '' ? text : `${path}: ${text}` };
}

const SHOWN_ISSUES = 20;

/**
 * Thrown if a value is invalid. The message has one line for each of the first 20 problems, in words that help a model
 * to correct its call.
 */
export class InvalidValueError extends Error {
  override readonly name = 'InvalidValueError';
  readonly issues: readonly Issue[];

  /** @param issues all problems that were found; at least one. */
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
 * Thrown if a constraint, a condition or a transform of a DTO class throws or rejects. The received value may be valid,
 * so this is an unexpected error, and not an `InvalidValueError`.
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

/** Returns the issue for a value that is nested too deeply. */
export function tooDeep(): Issue {
  const expected = `at most ${MAX_DEPTH} levels of objects and arrays`;
  return issueAt('', expected, 'more', `expected ${expected}, received more`);
}
