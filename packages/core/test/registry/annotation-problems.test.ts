import { describe, expect, test } from '@jest/globals';
import { Resource, Service } from '../../src/index.js';
import { appOf, problemsOf, openSession } from '../harness.js';

/** Options as a program in JavaScript may give them. */
function resourceWith(options: object) {
  @Service()
  class Files {
    @Resource('file://one', options)
    one(): string {
      return 'one';
    }
  }
  return Files;
}

describe('the annotations and the size of a resource', () => {
  test.each<[object, string, string]>([
    [{ annotations: { priority: 7 } }, 'annotations.priority', 'it must be a number from 0 to 1'],
    [{ annotations: { priority: '1' } }, 'annotations.priority', 'it must be a number from 0 to 1'],
    [
      { annotations: { audience: ['robot'] } },
      'annotations.audience',
      `it must be a list with 'user', 'assistant' or both`,
    ],
    [
      { annotations: { audience: 'user' } },
      'annotations.audience',
      `it must be a list with 'user', 'assistant' or both`,
    ],
    [
      { annotations: { lastModified: 'yesterday' } },
      'annotations.lastModified',
      'it must be an ISO 8601 date-time string such as "2026-07-28T09:00:00Z"',
    ],
    [
      { annotations: { lastModified: '2026-13-45' } },
      'annotations.lastModified',
      'it must be an ISO 8601 date-time string such as "2026-07-28T09:00:00Z"',
    ],
    [{ annotations: [] }, 'annotations', 'it must be an object'],
    [{ size: -5 }, 'size', 'it must be a number of bytes: 0 or a positive integer'],
    [{ size: 1.5 }, 'size', 'it must be a number of bytes: 0 or a positive integer'],
  ])('%j is refused', async (options, member, what) => {
    expect(await problemsOf({ services: [resourceWith(options)] })).toEqual([
      {
        code: 'SIGIL_INVALID_OPTIONS',
        where: `Files.one, ${member}`,
        what,
        fix: 'set such a value, or leave the option out',
      },
    ]);
  });

  test('every mistake is reported at once', async () => {
    const annotations = { priority: -1, audience: [null], lastModified: 5 };
    expect(await problemsOf({ services: [resourceWith({ annotations, size: NaN })] })).toHaveLength(4);
  });

  test('valid ones reach clients as they are', async () => {
    const options = {
      annotations: {
        priority: 0.5,
        audience: ['user', 'assistant'],
        lastModified: '2026-07-28T09:00:00.5+02:00',
      },
      size: 0,
    };
    const client = await openSession(await appOf({ services: [resourceWith(options)] }));
    expect(await client.list('resources')).toMatchObject([options]);
  });
});
