import { Service } from '@sigil/core';
import { type Order, Shipping } from './order.js';
import { Quote } from './receipt.js';

/** Knows what orders cost. */
@Service()
export class Pricing {
  /** Adds up an order. */
  quote({ lines, shipping }: Order): Quote {
    const articles = lines.reduce((sum, { quantity }) => sum + quantity, 0);
    const goods = lines.reduce((sum, { price, quantity }) => sum + price * quantity, 0);
    return Object.assign(new Quote(), {
      articles,
      total: goods + (shipping === Shipping.Express ? 9 : 0),
      shipping,
    });
  }
}
