import { Service, Tool, ToolContext } from '@sigil/core';
import { Order } from './order.js';
import { Pricing } from './pricing.js';
import { Receipt } from './receipt.js';

/** Tools whose arguments and results are instances of DTO classes. */
@Service()
export class OrderTools {
  readonly #placed: Receipt[] = [];

  constructor(private readonly pricing: Pricing) {}

  @Tool({ description: 'Places an order', destructive: false, output: Receipt })
  placeOrder(ctx: ToolContext, order: Order): Receipt {
    const receipt = Object.assign(new Receipt(), this.pricing.quote(order), {
      orderId: `order-${this.#placed.length + 1}`,
      placedAt: new Date().toISOString(),
    });
    this.#placed.push(receipt);
    ctx.log.info({ placed: receipt.orderId }, 'orders');
    return receipt;
  }

  @Tool({ description: 'Lists the orders placed so far', readOnly: true, output: [Receipt] })
  listOrders(): readonly Receipt[] {
    return this.#placed;
  }
}
