import { defineTool, type FunctionDefinition } from '@sigil/core';
import { Order } from './order.js';
import { Pricing } from './pricing.js';
import { Quote } from './receipt.js';

/** The function twin of a decorated tool: same classes, same schemas, same container. */
export const quoteOrder: FunctionDefinition = defineTool({
  name: 'quote_order',
  description: 'Says what an order would cost',
  readOnly: true,
  input: Order,
  output: Quote,
  handle: async (order, ctx) => (await ctx.resolve(Pricing)).quote(order),
});
