import { describe, expect, jest, test } from '@jest/globals';
import { IsInt } from 'class-validator';

// As where the decorators are of another copy: this one has recorded nothing.
jest.unstable_mockModule('class-transformer/cjs/storage.js', () => ({
  defaultMetadataStorage: { getExcludedMetadatas: () => [] },
}));
const { PartialType, Service, Tool } = await import('../../src/index.js');
const { problemsOf } = await import('../harness.js');

class Order {
  @IsInt() count!: number;
}

describe('where the record of class-transformer is out of reach', () => {
  test('an app with DTO classes is refused', async () => {
    @Service()
    class Orders {
      @Tool()
      place(order: Order): string {
        return String(order.count);
      }
    }
    expect(await problemsOf({ services: [Orders] })).toEqual([
      {
        code: 'SIGIL_TWO_COPIES',
        where: 'class-transformer',
        what: expect.stringContaining('@Exclude, @Expose and @Transform would have no effect'),
        fix: expect.stringMatching(/^bundle @sigil\/core, class-validator and class-transformer/),
      },
    ]);
  });

  test('mapped types are still declared', () => {
    expect(PartialType(Order).name).toBe('PartialOrder');
  });
});
