import { describe, expect, test } from '@jest/globals';
import { defineTool, MapErrors, mapError, Tool, ToolError } from '../../src/index.js';
import { appOf, problemsOf, statelessClient } from '../harness.js';
import { Diagnostics } from '../../src/errors/errors.js';
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

    const [declaration] = scan([Shop], new Diagnostics());

    const order = declaration?.errors.map((mapper) => mapper.map(new OutOfStock(3)));
    expect(order).toEqual(['method 1: 3', 'method 2: 3', 'own: 3', 'base 1: 3', 'base 2: 3']);
  });
});

describe('an error mapper', () => {
  test('that gives nothing leaves the error as it is', async () => {
    const buy = defineTool({
      name: 'buy',
      handle() {
        throw new ToolError('There is no more');
      },
    });
    const app = await appOf({ definitions: [buy], errors: [mapError(ToolError, () => undefined)] });
    expect(await statelessClient(app).call('buy')).toMatchObject({
      isError: true,
      content: [{ text: 'There is no more' }],
    });
  });

  test.each([[undefined], [OutOfStock], [{ error: OutOfStock }], [mapError((() => 1) as never, () => 1)]])(
    'is not %p: a problem',
    async (mapper) => {
      expect(
        await problemsOf({
          errors: [mapper as never],
          definitions: [defineTool({ name: 'a', handle: () => 1 })],
        }),
      ).toMatchObject([{ code: 'SIGIL_INVALID_POLICY', where: 'errors' }]);
    },
  );
});
