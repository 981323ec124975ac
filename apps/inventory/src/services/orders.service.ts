import { Complete, Param, Resource, Service } from '@sigil/core';
import { toEuros } from '../money.js';
import { type Order, type OrderItem, OrderRepository } from '../repositories/order-repository.js';

/** One line of an order as clients read it. */
export interface OrderLine extends Omit<OrderItem, 'unitPriceCents'> {
  readonly unitPrice: number;
}

/** The items of an order as clients read them. */
export interface OrderItems extends Omit<Order, 'id'> {
  readonly orderId: string;
  readonly items: readonly OrderLine[];
  readonly total: number;
  readonly currency: 'EUR';
}

/** What customers ordered. */
@Service()
export class Orders {
  constructor(private readonly orders: OrderRepository) {}

  @Resource('commerce://orders/{orderId}/items', {
    title: 'Items of an order',
    description: 'An order by id: who placed it and when, its status, its items and their total in euros',
    mimeType: 'application/json',
  })
  items(
    @Param('orderId', { description: 'Id of the order, such as SO-10421' }) orderId: string,
  ): OrderItems | undefined {
    const order = this.orders.byId(orderId);
    if (!order) return undefined;
    const { id, ...about } = order;
    const rows = this.orders.items(id);
    const totalCents = rows.reduce((sum, { quantity, unitPriceCents }) => sum + quantity * unitPriceCents, 0);
    return { orderId: id, ...about, items: rows.map(toLine), total: toEuros(totalCents), currency: 'EUR' };
  }

  @Complete('commerce://orders/{orderId}/items', 'orderId')
  orderIds(typed: string): string[] {
    return this.orders.ids().filter((id) => id.startsWith(typed.toUpperCase()));
  }
}

function toLine({ unitPriceCents, ...item }: OrderItem): OrderLine {
  return { ...item, unitPrice: toEuros(unitPriceCents) };
}
