import { defineTool, type FunctionDefinition } from '@sigil/core';
import { Order } from './order.js';
import { Pricing } from './pricing.js';
import { Quote } from './receipt.js';

/** A tool that is defined with a function. It uses the same DTO classes and services as the tools with decorators. */
export const quoteOrder: FunctionDefinition = defineTool({
  name: 'quote_order',
  description: 'Says what an order would cost',
  readOnly: true,
  input: Order,
  output: Quote,
  handle: async (order, ctx) => (await ctx.resolve(Pricing)).quote(order),
});
