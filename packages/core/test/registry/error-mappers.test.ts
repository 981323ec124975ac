import { describe, expect, test } from '@jest/globals';
import { MapErrors, mapError, Tool } from '../../src/index.js';
import { scan } from '../../src/registry/scan.js';

class OutOfStock extends Error {
  constructor(readonly left: number) {
    super('out of stock');
  }
}
const named = (name: string) => mapError(OutOfStock, ({ left }) => `${name}: ${left}`);

describe('the error mappers of a definition', () => {
  test('are those of the method, then those of the class, then those it inherits; within a list in the order given', () => {
    @MapErrors(named('base 1'), named('base 2'))
    class Base {
      @MapErrors(named('method 1'), named('method 2'))
      @Tool()
      buy() {
        return 1;
      }
    }
    @MapErrors(named('own'))
    class Shop extends Base {}

    const [declaration] = scan([Shop], []);

    const order = declaration?.errors.map((mapper) => mapper.map(new OutOfStock(3)));
    expect(order).toEqual(['method 1: 3', 'method 2: 3', 'own: 3', 'base 1: 3', 'base 2: 3']);
  });
});
