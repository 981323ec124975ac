import { describe, expect, jest, test } from '@jest/globals';
import { IsInt } from 'class-validator';
import type { DefinitionProblem } from '../../src/index.js';

// The other of the two libraries is not installed: one alone is as good as none.
for (const name of ['class-transformer', 'class-transformer/cjs/storage.js'])
  jest.unstable_mockModule(name, () => {
    throw Object.assign(new Error(`Cannot find package '${name}'`), { code: 'ERR_MODULE_NOT_FOUND' });
  });
const { Arg, DefinitionError, defineTool, PartialType, Service, Tool } = await import('../../src/index.js');
const { appOf, openSession, problemsOf, textOf } = await import('../harness.js');

class Order {
  @IsInt() count!: number;
}
class Plain {
  count = 1;
}

@Service()
class Sums {
  @Tool()
  double(@Arg('a') a: number): number {
    return 2 * a;
  }
}

const refused = (where: string, cls: string): object => ({
  code: 'SIGIL_NO_CLASS_VALIDATOR',
  where,
  what: `class ${cls} is used as a DTO, but class-validator and class-transformer are not loaded`,
  fix: expect.stringMatching(/^npm install class-validator class-transformer\b/),
});

describe('without class-transformer', () => {
  test('an app of single arguments and JSON Schema starts and answers', async () => {
    const square = defineTool({
      name: 'square',
      input: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
      handle: ({ a }) => (a as number) ** 2,
    });
    const app = await appOf({ services: [Sums] });
    app.tools.add(square);
    const client = await openSession(app);
    expect(textOf(await client.call('double', { a: 3 }))).toBe('6');
    expect(textOf(await client.call('square', { a: 3 }))).toBe('9');
  });

  test('every definition with a class is refused, each by its place', async () => {
    @Service()
    class Orders {
      @Tool()
      place(order: Order): string {
        return String(order.count);
      }
      @Tool()
      cancel(@Arg('order', { type: () => Order }) order: Order): string {
        return String(order.count);
      }
      @Tool()
      merge(@Arg('orders', { items: () => Order }) orders: Order[]): string {
        return String(orders.length);
      }
      @Tool({ output: [Order] })
      list(): Order[] {
        return [];
      }
      @Tool({ output: Plain })
      last(): Plain {
        return new Plain();
      }
      @Tool()
      change(@Arg('order', { type: () => PartialType(Order) }) order: Partial<Order>): string {
        return String(order.count);
      }
    }
    expect(await problemsOf({ services: [Orders, Sums] })).toEqual([
      refused('Orders.place', 'Order'),
      refused('Orders.cancel', 'Order'),
      refused('Orders.merge', 'Order'),
      refused('Orders.list, output', 'Order'),
      refused('Orders.last, output', 'Plain'),
      refused('Orders.change', 'PartialOrder'),
    ]);
  });

  test('a tool that is added to a running app is refused, and the app goes on', async () => {
    const app = await appOf({ services: [Sums] });
    const order = defineTool({ name: 'order', input: Order, handle: () => 'x' });
    expect(thrownBy(() => app.tools.add(order))).toEqual([refused(`defineTool('order')`, 'Order')]);
    expect(app.tools.keys()).toEqual(['double']);
  });

  test('a form is refused when it is asked', async () => {
    let refusal: unknown;
    const ask = defineTool({
      name: 'ask',
      handle: async (_, ctx) => {
        await ctx.elicit('Which?', Order).catch((error: unknown) => (refusal = error));
      },
    });
    const app = await appOf({ services: [Sums] });
    app.tools.add(ask);
    const client = await openSession(app, '2025-11-25', { elicitation: {} });
    await client.call('ask');
    expect(refusal).toMatchObject({ problems: [refused('elicit()', 'Order')] });
  });
});

function thrownBy(run: () => void): readonly DefinitionProblem[] {
  try {
    run();
  } catch (error) {
    if (error instanceof DefinitionError) return error.problems;
    throw error;
  }
  throw new Error('nothing was thrown');
}
