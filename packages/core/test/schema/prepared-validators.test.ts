import { describe, expect, test } from '@jest/globals';
import type { JsonSchema } from '../../src/protocol/json.js';
import { createSchemaCompiler, InvalidValueError, type ValuePlan } from '../../src/schema/index.js';
import { prepareValidators, validatorKey } from '../../src/schema/validate/prepared.js';

const SCHEMA: JsonSchema = {
  type: 'object',
  properties: { a: { type: 'number' }, list: { type: 'array', items: { type: 'integer' } } },
  required: ['a'],
};
const KEY = validatorKey(SCHEMA, { dialect: '2020-12', ownProperties: false });
const asked: unknown[] = [];

async function planned(): Promise<ValuePlan> {
  const plan = (await createSchemaCompiler({ classes: false })).input(
    { kind: 'schema', schema: SCHEMA },
    'a tool',
    [],
  );
  await plan.ready();
  return plan;
}

async function problemsOf(plan: ValuePlan, value: unknown): Promise<string> {
  try {
    await plan.check(value);
    return '';
  } catch (error) {
    if (error instanceof InvalidValueError) return error.message;
    throw error;
  }
}

describe('a validator that was prepared', () => {
  const wrong = { list: [1, 'x', 2.5] };
  const long = { list: Array.from({ length: 1200 }, () => 'x') };

  test('decides, and what it refuses is told as without it', async () => {
    const plain = await planned();
    const expected = [await problemsOf(plain, wrong), await problemsOf(plain, long)];
    expect(expected[0]).toContain('list[1]');
    prepareValidators({
      [KEY]: () => (value) => {
        asked.push(value);
        return 'a' in (value as object);
      },
    });
    const prepared = await planned();
    const right = { a: 1 };
    expect(await problemsOf(prepared, right)).toBe('');
    expect([await problemsOf(prepared, wrong), await problemsOf(prepared, long)]).toEqual(expected);
    expect(asked).toEqual([right, wrong, long]);
  });
});
