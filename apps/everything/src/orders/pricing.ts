import { Service } from '@sigil/core';
import { type Order, Shipping } from './order.js';
import { Quote } from './receipt.js';

/** Calculates the prices of orders. */
@Service()
export class Pricing {
  /** Returns the total price of an order, and its number of articles. */
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
