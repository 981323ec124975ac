import 'reflect-metadata';
import { describe, expect, test } from '@jest/globals';
import * as cv from 'class-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { Constructor } from '../../src/protocol/constructor.js';
import type { ValuePlan } from '../../src/schema/index.js';
import { ruleNames } from '../../src/schema/rules/table.js';
import { fuzz } from './fuzz.js';
import { accepts, planClass, planInterpreted, planWritten, told, inAnyOrder } from './harness.js';
import { classValidatorAccepts, classWith, forget, isShownStricter, rowOf, ruleNameOf } from './oracle.js';
import { dateOf } from '../../src/schema/json-schema/own-keywords.js';
import { DATE_USES, STRUCTURAL, USES } from './uses/index.js';
import { nearTo, VALUES } from './values.js';

const ajv = new Ajv2020({ validateFormats: false, allowUnionTypes: true });

interface Subject {
  readonly cls: Constructor;
  readonly made: ValuePlan;
  readonly interpreted: ValuePlan;
  readonly written: ValuePlan;
  readonly shown: (value: unknown) => unknown;
}

async function subject(...decorators: readonly PropertyDecorator[]): Promise<Subject> {
  const cls = classWith(...decorators);
  const made = await planClass(cls);
  const [interpreted, written] = await Promise.all([planInterpreted(cls), planWritten(cls)]);
  return { cls, made, interpreted, written, shown: ajv.compile(made.advertised) };
}

/** @param read what class-transformer would do first. */
async function agrees(
  { cls, made, interpreted, written, shown }: Subject,
  object: { readonly value?: unknown },
  exact: boolean,
  read: (value: unknown) => unknown = (value) => value,
): Promise<void> {
  const judged = 'value' in object ? { value: read(object.value) } : {};
  const wanted = await classValidatorAccepts(cls, judged);
  expect([object, 'enforced', await accepts(made, object)]).toEqual([object, 'enforced', wanted]);
  const said = await told(made, object);
  expect([object, inAnyOrder(await told(interpreted, object))]).toEqual([object, inAnyOrder(said)]);
  expect([object, await told(written, object)]).toEqual([object, said]);
  const isShown = shown(object) === true;
  if (exact) expect([object, 'shown', isShown]).toEqual([object, 'shown', wanted]);
  else if (wanted && !isShown)
    expect([object, [object.value].flat().some(isShownStricter)]).toEqual([object, true]);
}

/** Texts that are no ISO 8601 become no dates, which class-transformer would make of them. */
const toDate = (value: unknown): unknown => (typeof value === 'string' ? dateOf(value) : value);

describe('what is enforced, and where it is settled by the schema what is shown, agrees with class-validator on', () => {
  test.each(USES.map((use) => [use.code, use] as const))('%s', async (_, use) => {
    const one = await subject(use.decorate());
    const exact = rowOf(use).exact;
    await agrees(one, {}, exact);
    for (const value of use.near) await agrees(one, { value }, exact);
    await fc.assert(
      fc.asyncProperty(fc.oneof(nearTo(use.near), VALUES), (value) => agrees(one, { value }, exact)),
      fuzz(60),
    );
    forget(one.cls);
  });

  test.each(USES.map((use) => [use.code, use] as const))('%s for each element', async (_, use) => {
    const many = await subject(cv.IsArray(), use.decorate({ each: true }));
    const exact = rowOf(use).exact;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(nearTo(use.near), VALUES), { maxLength: 3 }), (value) =>
        agrees(many, { value }, exact),
      ),
      {
        ...fuzz(20),
        examples: [[[]], [[...use.near]], ...use.near.map((one): [unknown[]] => [[one]])],
      },
    );
    forget(many.cls);
  });

  test.each(USES.map((use) => [use.code, use] as const))('%s when optional', async (_, use) => {
    const optional = await subject(cv.IsOptional(), use.decorate());
    await agrees(optional, {}, false);
    expect(await accepts(optional.made, { value: null })).toBe(true);
    await fc.assert(
      fc.asyncProperty(nearTo(use.near), async (value) => {
        if (value !== null) await agrees(optional, { value }, false);
      }),
      fuzz(20),
    );
    forget(optional.cls);
  });

  test.each(DATE_USES.map((use) => [use.code, use] as const))('%s', async (_, use) => {
    const one = await subject(use.decorate());
    const text = fc.date({ min: new Date('2025-01-01'), max: new Date('2027-01-01'), noInvalidDate: true });
    const written = fc.oneof(
      nearTo(use.near),
      VALUES,
      text.map((date) => date.toISOString()),
    );
    await fc.assert(
      fc.asyncProperty(written, (value) => agrees(one, { value }, false, toDate)),
      fuzz(60),
    );
    forget(one.cls);
  });

  test('an empty array after one that contains what is wanted', async () => {
    const many = await subject(cv.IsArray(), cv.ArrayContains(['a'], { each: true }));
    for (const value of [
      [['a'], []],
      [[], ['a']],
      [['a'], ['a']],
    ])
      await agrees(many, { value }, true);
  });

  test('several rules of one property', async () => {
    const rules = [
      cv.IsString(),
      cv.IsNotEmpty(),
      cv.MaxLength(4),
      cv.Matches(/^a/),
      cv.Matches(/c$/),
      cv.NotContains('b'),
    ];
    const one = await subject(...rules);
    await fc.assert(
      fc.asyncProperty(fc.oneof(nearTo(['ac', 'abc', 'aXc', 'aXXXc', '']), VALUES), (value) =>
        agrees(one, { value }, false),
      ),
      fuzz(100),
    );
  });
});

describe('every decorator', () => {
  const NOT_DECORATORS = /^(?:Validat(?:ionError|ionTypes|or)|MetadataStorage|ValidatorConstraintInterface)$/;
  const exported = Object.entries(cv)
    .filter(([name, value]) => /^[A-Z][a-z]*[A-Za-z0-9]*$/.test(name) && typeof value === 'function')
    .map(([name]) => name)
    .filter((name) => !NOT_DECORATORS.test(name));
  const used = [...USES, ...DATE_USES];

  test('of class-validator is tried here', () => {
    const tried = new Set([...used.map(({ code }) => code.replace(/\(.*$/s, '')), ...STRUCTURAL]);
    expect([...tried].sort()).toEqual([...exported].sort());
  });

  test('has a row, and every row has a decorator', () => {
    const names = new Set(used.map((use) => ruleNameOf(use)));
    expect([...names, 'isInstance'].sort()).toEqual([...ruleNames()].sort());
  });
});
