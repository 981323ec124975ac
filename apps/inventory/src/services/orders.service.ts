import { Complete, Param, Resource, Service, Tool, ToolError } from '@sigil/core';
import { OrderQuery } from '../dto/order-query.js';
import { OrderReturn } from '../dto/order-return.js';
import { OrderStatus } from '../dto/order-status.js';
import { ReturnRequest } from '../dto/return-request.js';
import { toEuros } from '../money.js';
import { nearWords } from '../near-words.js';
import { type Order, type OrderItem, OrderRepository } from '../repositories/order-repository.js';
import { ResourceUpdates } from '../resource-updates.js';

/** One line of an order, in the form that clients receive. */
export interface OrderLine extends Omit<OrderItem, 'unitPriceCents'> {
  readonly unitPrice: number;
}

/** The items of an order, in the form that clients receive. */
export interface OrderItems extends Omit<Order, 'id'> {
  readonly orderId: string;
  readonly items: readonly OrderLine[];
  readonly total: number;
  readonly currency: 'EUR';
}

/** Tools and resources for orders and returns. */
@Service()
export class Orders {
  constructor(
    private readonly orders: OrderRepository,
    private readonly updates: ResourceUpdates,
  ) {}

  /** @throws ToolError when there is no such order. */
  @Tool({
    title: 'Order status',
    description: 'The status of an order, its price in euros, and whether pieces of it can be returned',
    readOnly: true,
    openWorld: false,
    output: OrderStatus,
  })
  orderStatus({ orderId }: OrderQuery): OrderStatus {
    const { id, status, placedAt } = this.#orderOf(orderId);
    const items = this.orders.items(id);
    const pieces = sum(items, ({ quantity }) => quantity);
    const returned = sum(items, (item) => item.returned);
    return {
      orderId: id,
      status,
      placedAt,
      pieces,
      returned,
      total: totalOf(items),
      returnable: status === 'delivered' && returned < pieces,
    };
  }

  /** @throws ToolError when the order does not exist, is not delivered, or contains too few pieces of the product. */
  @Tool({
    title: 'Return items',
    description:
      'Registers that a customer sends back pieces of a delivered order; they are inspected before they are sold again',
    readOnly: false,
    destructive: false,
    idempotent: false,
    openWorld: false,
    output: OrderReturn,
  })
  returnItems({ orderId, sku, quantity, reason }: ReturnRequest): OrderReturn {
    const { id, status } = this.#orderOf(orderId);
    if (status !== 'delivered')
      throw new ToolError(`The order ${id} is ${status}. Only pieces of delivered orders can be returned.`);
    const items = this.orders.items(id);
    const item = items.find((one) => one.sku === sku.trim().toUpperCase());
    if (!item) throw new ToolError(`The order ${id} does not contain ${sku}. It contains ${skusOf(items)}.`);
    const left = item.quantity - item.returned;
    if (quantity > left)
      throw new ToolError(
        `The customer has only ${left} of ${item.sku} from the order ${id}, so nothing was registered.`,
      );
    const returnId = this.orders.addReturn({ orderId: id, sku: item.sku, quantity, reason });
    this.updates.announce(`commerce://orders/${id}/items`);
    return {
      returnId,
      orderId: id,
      sku: item.sku,
      quantity,
      refund: toEuros(quantity * item.unitPriceCents),
    };
  }

  @Resource('commerce://orders/{orderId}/items', {
    title: 'Items of an order',
    description:
      'An order by id: who placed it and when, its status, its items, what was sent back, and the total in euros',
    mimeType: 'application/json',
  })
  items(
    @Param('orderId', { description: 'Id of the order, such as SO-10421' }) orderId: string,
  ): OrderItems | undefined {
    const order = this.orders.byId(orderId);
    if (!order) return undefined;
    const { id, ...about } = order;
    const items = this.orders.items(id);
    return { orderId: id, ...about, items: items.map(toLine), total: totalOf(items), currency: 'EUR' };
  }

  @Complete('commerce://orders/{orderId}/items', 'orderId')
  orderIds(typed: string): string[] {
    return this.orders.ids().filter((id) => id.startsWith(typed.toUpperCase()));
  }

  #orderOf(orderId: string): Order {
    const order = this.orders.byId(orderId.trim());
    if (order) return order;
    const near = nearWords(orderId.trim(), this.orders.ids());
    const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : '';
    throw new ToolError(`There is no order "${orderId}".${hint}`);
  }
}

function totalOf(items: readonly OrderItem[]): number {
  return toEuros(sum(items, ({ quantity, unitPriceCents }) => quantity * unitPriceCents));
}

function skusOf(items: readonly OrderItem[]): string {
  return items.map(({ sku }) => sku).join(', ');
}

function sum(items: readonly OrderItem[], of: (item: OrderItem) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

function toLine({ unitPriceCents, ...item }: OrderItem): OrderLine {
  return { ...item, unitPrice: toEuros(unitPriceCents) };
}
