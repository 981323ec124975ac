import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { CompiledSchema } from '../../src/schema/validate/compiled-schema.js';
import { loadValidatorCompiler } from '../../src/schema/validate/validator-compiler.js';
import { optionsFor } from './compilers.js';

const real = globalThis.Function;
const texts: string[] = [];

// ajv makes code of text by this, and nothing else does.
beforeEach(() => {
  texts.length = 0;
  globalThis.Function = new Proxy(real, {
    construct(target, parts: string[]) {
      const text = parts.at(-1) ?? '';
      if (text !== '') texts.push(text);
      return Reflect.construct(target, parts) as object;
    },
  });
});

afterEach(() => {
  globalThis.Function = real;
});

const SCHEMA = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };

async function validatorOf(schema: object): Promise<CompiledSchema> {
  const compile = await loadValidatorCompiler('2020-12');
  return compile(schema as never, optionsFor('2020-12', { report: 'first violation' }));
}

/** Waits until ajv is loaded, which takes some turns of the loop. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('a schema', () => {
  test('is interpreted for its first values, and becomes code when it is used more often', async () => {
    const validate = await validatorOf(SCHEMA);
    const say = (): unknown[] => [
      validate({ a: 1 }),
      validate({ a: '1' }),
      validate.errors?.[0]?.instancePath,
    ];
    const first = say();
    expect(first).toEqual([true, false, '/a']);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(texts).toEqual([]);
    say();
    await until(() => texts.length > 0);
    expect(texts).toHaveLength(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(say()).toEqual(first);
  });

  test('becomes code at once where it is to be as fast as it gets', async () => {
    const validate = await validatorOf(SCHEMA);
    await validate.warm?.();
    expect(texts).toHaveLength(1);
    expect([validate({ a: 1 }), validate({}), validate.errors?.[0]?.keyword]).toEqual([
      true,
      false,
      'required',
    ]);
  });

  test('stays interpreted where ajv understands a keyword otherwise than the standard', async () => {
    const validate = await validatorOf({ contains: { const: 1 }, unevaluatedItems: false });
    expect(validate.warm).toBeUndefined();
    for (let times = 0; times < 10; times++) expect(validate([1, 2])).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(texts).toEqual([]);
  });
});

test('code is made of no schema where the platform forbids it', async () => {
  jest.spyOn(globalThis, 'Function').mockImplementation(() => {
    throw new EvalError('Code generation from strings disallowed for this context');
  });
  const validate = await validatorOf(SCHEMA);
  expect(validate.warm).toBeUndefined();
  expect([validate({ a: 1 }), validate({})]).toEqual([true, false]);
});
