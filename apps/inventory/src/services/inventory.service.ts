import { Service, Tool, ToolContext, ToolError } from '@sigil/core';
import { ReservationRequest } from '../dto/reservation-request.js';
import { Reservation } from '../dto/reservation.js';
import { StockLevel } from '../dto/stock-level.js';
import { StockQuery } from '../dto/stock-query.js';
import { findProduct } from '../find-product.js';
import { type Product, ProductRepository } from '../repositories/product-repository.js';
import { StockRepository, type StockRow } from '../repositories/stock-repository.js';
import { StockWatch } from './stock-watch.service.js';

/** Tools that check and reserve stock. */
@Service()
export class Inventory {
  constructor(
    private readonly stock: StockRepository,
    private readonly products: ProductRepository,
    private readonly watch: StockWatch,
  ) {}

  /** @throws ToolError when there is no such product or warehouse. */
  @Tool({
    title: 'Check inventory',
    description: 'Real-time quantity of a product by SKU, in all warehouses or in one',
    readOnly: true,
    openWorld: false,
    output: StockLevel,
  })
  checkInventory(query: StockQuery): StockLevel {
    const { sku } = this.#productOf(query.sku);
    const code = this.#warehouseOf(query.warehouse);
    const warehouses = this.stock.ofProduct(sku).filter((row) => code === undefined || row.code === code);
    return { sku, quantity: total(warehouses), warehouses };
  }

  /** @throws ToolError when there is no such product or warehouse, or when too few pieces are in stock. */
  @Tool({
    title: 'Reserve stock',
    description:
      'Reserves pieces of a product for a customer, all of them or none; reserved pieces no longer count as stock',
    destructive: false,
    idempotent: false,
    openWorld: false,
    output: Reservation,
  })
  reserveStock(request: ReservationRequest, ctx: ToolContext): Reservation {
    const { sku } = this.#productOf(request.sku);
    const code = this.#warehouseOf(request.warehouse);
    const reserved = this.stock.reserve(sku, request.quantity, code);
    const rows = this.stock.ofProduct(sku);
    if (!reserved) throw notEnough(sku, request.quantity, code, rows);
    const left = total(rows);
    if (this.watch.fell(sku, request.quantity, left))
      ctx.log.warning(`Only ${left} of ${sku} are left`, 'stock');
    return {
      reservationId: reserved.id,
      sku,
      quantity: request.quantity,
      taken: reserved.taken,
      left,
    };
  }

  #productOf(sku: string): Product {
    return findProduct(this.products, sku, (message) => new ToolError(message));
  }

  #warehouseOf(code: string | undefined): string | undefined {
    if (code === undefined) return undefined;
    const codes = this.stock.warehouses();
    const known = codes.find((one) => one === code.trim().toUpperCase());
    if (known) return known;
    throw new ToolError(`There is no warehouse "${code}". The warehouses are ${codes.join(', ')}.`);
  }
}

function total(rows: readonly StockRow[]): number {
  return rows.reduce((sum, row) => sum + row.quantity, 0);
}

function notEnough(
  sku: string,
  wanted: number,
  code: string | undefined,
  rows: readonly StockRow[],
): ToolError {
  const where = rows.map((row) => `${row.code} has ${row.quantity}`).join(', ');
  const what = code === undefined ? `${wanted} pieces of ${sku}` : `${wanted} pieces of ${sku} in ${code}`;
  return new ToolError(`There are fewer than ${what}, so nothing was reserved: ${where}.`);
}
