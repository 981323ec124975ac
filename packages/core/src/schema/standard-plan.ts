import { type Diagnostics, messageOf } from '../errors/errors.js';
import { isDeeper, type JsonSchema, MAX_DEPTH } from '../protocol/json.js';
import { after, type MaybePromise } from '../protocol/maybe-promise.js';
import type { StandardIssue, StandardResult, StandardSchema } from '../protocol/standard-schema.js';
import { readHandWritten } from './json-schema/hand-written.js';
import { advertise } from './json-schema/advertise.js';
import { type ValuePlan, writable } from './plans.js';
import type { Direction } from './json-schema/source.js';
import { describeValue, placeAt } from './messages/describe-value.js';
import { InvalidValueError, type Issue, issueAt, tooDeep } from './messages/issues.js';

/**
 * Creates the plan for a schema from a library with the Standard Schema interface. The library validates and
 * transforms the values. Clients get the JSON Schema of the library's schema, in the form that `advertise()`
 * returns.
 *
 * @returns `undefined` if a problem was reported.
 */
export function standardPlan(
  schema: StandardSchema,
  direction: Direction,
  at: Diagnostics,
): ValuePlan | undefined {
  const written = writeJsonSchema(schema, direction, at);
  // Its root is known to be right.
  if (!written || !readHandWritten(written, false, at)) return undefined;
  const { validate } = schema['~standard'];
  const advertised = advertise(written, direction);
  return {
    advertised,
    mirrored: true,
    ready: () => undefined,
    check(value): MaybePromise<unknown> {
      const given = direction === 'output' ? writable(value) : value;
      if (isDeeper(given, MAX_DEPTH)) throw new InvalidValueError([tooDeep()]);
      const made = after(validate(given), (result) => valueOf(result, given));
      return direction === 'output' ? after(made, writable) : made;
    },
  };
}

function writeJsonSchema(
  schema: StandardSchema,
  direction: Direction,
  at: Diagnostics,
): JsonSchema | undefined {
  const { vendor, jsonSchema } = schema['~standard'];
  const refuse = (what: string, fix: string): undefined => {
    at.add('SIGIL_INVALID_SCHEMA', `the ${vendor} schema ${what}`, fix);
  };
  const isInput = direction === 'input';
  const write = jsonSchema?.[direction];
  if (!write)
    return refuse(
      'cannot be converted to JSON Schema',
      'use a library with Standard JSON Schema (at least zod 4.2 or arktype 2.1.28), or wrap the schema with toStandardJsonSchema() of @valibot/to-json-schema',
    );
  try {
    const written = write({ target: 'draft-2020-12' });
    if (!isInput || written['type'] === 'object') return written;
    return refuse(
      'does not describe an object, but the arguments of a tool are an object',
      'put the schema into an object; for a union in zod, use z.object({ choice: z.discriminatedUnion(…) })',
    );
  } catch (error) {
    return refuse(
      `has no JSON Schema: ${messageOf(error)}`,
      isInput
        ? 'describe the JSON form of the value, and convert it: for a date in zod, use z.iso.datetime().transform((text) => new Date(text))'
        : 'describe the JSON form of the value: for a date in zod, use z.iso.datetime(), and return date.toISOString() from the handler',
    );
  }
}

function valueOf(result: StandardResult<unknown>, given: unknown): unknown {
  if (!result.issues) return result.value;
  throw new InvalidValueError(result.issues.map((issue) => issueOf(issue, given)));
}

function issueOf({ message, path: steps = [] }: StandardIssue, given: unknown): Issue {
  const keys = steps.map((step) => (typeof step === 'object' ? step.key : step));
  const { path, value } = placeAt(keys, given);
  return issueAt(path, message, describeValue(value), message);
}
