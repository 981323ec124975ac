import { Service } from '@sigil/core';
import { Database } from '../database/database.js';

/** An order of a customer, without its items. */
export interface Order {
  readonly id: string;
  readonly customer: string;
  /** ISO 8601. */
  readonly placedAt: string;
  readonly status: string;
}

/** One line of an order. */
export interface OrderItem {
  readonly sku: string;
  readonly name: string;
  readonly quantity: number;
  /** Price of one piece when it was ordered. */
  readonly unitPriceCents: number;
  /** Pieces that the customer has sent back. */
  readonly returned: number;
}

/** Pieces that a customer sends back. */
export interface ReturnedItem {
  readonly orderId: string;
  readonly sku: string;
  readonly quantity: number;
  readonly reason: string;
}

/** Reads orders, and records returns. */
@Service()
export class OrderRepository {
  constructor(private readonly database: Database) {}

  /** Returns the order with this id; `undefined` if it does not exist. */
  byId(id: string): Order | undefined {
    return this.database.first('SELECT id, customer, placedAt, status FROM orders WHERE id = ?', id);
  }

  /** Returns the lines of an order, sorted by SKU. */
  items(orderId: string): OrderItem[] {
    const sql = `
      SELECT orderItems.sku, name, quantity, unitPriceCents,
        (SELECT coalesce(sum(quantity), 0) FROM returns
          WHERE returns.orderId = orderItems.orderId AND returns.sku = orderItems.sku) AS returned
      FROM orderItems JOIN products ON products.sku = orderItems.sku
      WHERE orderId = ? ORDER BY orderItems.sku`;
    return this.database.all(sql, orderId);
  }

  /** Records that the customer returns pieces of an order. @returns the id of the return. */
  addReturn({ orderId, sku, quantity, reason }: ReturnedItem): string {
    const row = this.database.first<{ made: number }>('SELECT count(*) AS made FROM returns');
    const id = `RET-${1001 + (row?.made ?? 0)}`;
    this.database.run('INSERT INTO returns VALUES (?, ?, ?, ?, ?)', id, orderId, sku, quantity, reason);
    return id;
  }

  /** Returns the ids of all orders, newest first. */
  ids(): string[] {
    return this.database
      .all<{ id: string }>('SELECT id FROM orders ORDER BY placedAt DESC')
      .map(({ id }) => id);
  }
}
