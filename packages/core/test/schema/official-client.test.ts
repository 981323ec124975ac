import 'reflect-metadata';
import { describe, expect, test } from '@jest/globals';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { planClass } from './harness.js';
import { classValidatorAccepts, classWith, forget, isShownStricter } from './oracle.js';
import { DATE_USES, USES } from './uses/index.js';

/** What the official client refuses although class-validator accepts it: it asserts formats, and reads them otherwise. */
const REFUSED: readonly unknown[] = ['ü@example.com', '::1%eth0', 'fe80::1%1'];

function isToBeAccepted(value: unknown): boolean {
  return !REFUSED.includes(value) && ![value].flat().some(isShownStricter);
}

describe('the official client compiles what is shown, and accepts results that class-validator accepts, of', () => {
  test.each([...USES, ...DATE_USES].map((use) => [use.code, use] as const))('%s', async (_, use) => {
    const cls = classWith(use.decorate());
    const { advertised } = await planClass(cls, 'output');
    const validate = new AjvJsonSchemaValidator().getValidator(advertised);
    const isDate = DATE_USES.includes(use);
    for (const value of use.near.filter(isToBeAccepted)) {
      const judged = isDate ? new Date(value as string) : value;
      if (!(await classValidatorAccepts(cls, { value: judged }))) continue;
      const sent: unknown = isDate ? (judged as Date).toISOString() : value;
      expect([value, validate({ value: sent }).valid]).toEqual([value, true]);
    }
    forget(cls);
  });
});
