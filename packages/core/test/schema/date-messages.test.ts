import 'reflect-metadata';
import { describe, expect, test } from '@jest/globals';
import { IsDate, IsOptional, MaxDate, MinDate, ValidateIf } from 'class-validator';
import { failure, planArguments, planClass } from './harness.js';

const DATE =
  'a real date in ISO 8601 format, such as "2026-07-28" or "2026-07-28T09:00:00Z" (if there is a time, it needs a time zone)';

describe('a message about a date', () => {
  class Meeting {
    @IsDate()
    @MinDate(new Date('2026-01-01'))
    start!: Date;

    @IsOptional()
    @MaxDate(() => new Date('2026-12-31'), { each: true })
    others?: Date[];

    @ValidateIf(() => true)
    @IsDate()
    end!: Date;

    @IsOptional()
    @IsDate({ message: 'say when' })
    worded?: Date;
  }
  const good = { start: '2026-02-01', end: '2026-02-02' };

  test.each<[string, object, string]>([
    [
      'a missing one',
      { end: '2026-02-02' },
      `start: required, expected ${DATE}, not before 2026-01-01T00:00:00.000Z; received nothing`,
    ],
    [
      'another type',
      { ...good, start: 5 },
      `start: expected ${DATE}, not before 2026-01-01T00:00:00.000Z; received 5`,
    ],
    [
      'an early one',
      { ...good, start: '2025-02-01' },
      `start: must be ${DATE}, not before 2026-01-01T00:00:00.000Z; received the string "2025-02-01"`,
    ],
    [
      'an element of a list',
      { ...good, others: ['2027-01-01'] },
      `others[0]: must be ${DATE}, not after 2026-12-31T00:00:00.000Z; received the string "2027-01-01"`,
    ],
    [
      'a rule that runs on the instance',
      { ...good, end: 'soon' },
      `end: must be ${DATE}; received an invalid date`,
    ],
    ['words of the author', { ...good, worded: 'soon' }, 'worded: say when; received the string "soon"'],
  ])('says what to send for %s', async (_, value, message) => {
    expect((await failure(await planClass(Meeting), value)).message).toBe(message);
  });

  test('says what to send for single arguments', async () => {
    const made = await planArguments(
      { name: 'day', type: Date },
      { name: 'page', type: URL },
      { name: 'data', type: Uint8Array },
    );
    const { message } = await failure(made, { day: 'soon', page: 1 });
    expect(message.split('\n').sort()).toEqual([
      'data: required, expected base64, with padding; received nothing',
      `day: must be ${DATE}; received the string "soon"`,
      'page: expected an absolute URL such as "https://example.com/"; received 1',
    ]);
  });
});
