import { Service } from '@sigil/core';
import { Database } from '../database/database.js';

/** The number of pieces of one product in one warehouse. */
export interface StockRow {
  readonly code: string;
  readonly quantity: number;
}

const STOCK = 'SELECT warehouse AS code, quantity FROM stock WHERE sku = ?';

/** Reads and changes the stock in the warehouses. */
@Service()
export class StockRepository {
  constructor(private readonly database: Database) {}

  /** Returns the stock of a product in every warehouse, sorted by warehouse code. Empty warehouses are included. */
  ofProduct(sku: string): StockRow[] {
    return this.database.all(`${STOCK} ORDER BY warehouse`, sku);
  }

  /** Returns the codes of all warehouses in alphabetical order. */
  warehouses(): string[] {
    return this.database.all<StockRow>('SELECT code FROM warehouses ORDER BY code').map(({ code }) => code);
  }

  /**
   * Removes pieces from the stock and records them as reserved: either all of them, or none. It takes pieces from the
   * warehouses with the most pieces first.
   *
   * @param quantity the number of pieces, more than 0.
   * @param warehouse the code of a warehouse, to take pieces only from there; by default, pieces come from all
   *   warehouses.
   * @returns the id of the reservation, and the pieces from each warehouse; `undefined` if there are too few pieces.
   */
  reserve(sku: string, quantity: number, warehouse?: string): { id: string; taken: StockRow[] } | undefined {
    return this.database.transaction(() => {
      const taken = share(quantity, this.#candidates(sku, warehouse));
      if (!taken) return undefined;
      const id = this.#nextId();
      for (const { code, quantity: pieces } of taken) {
        this.database.run(
          'UPDATE stock SET quantity = quantity - ? WHERE sku = ? AND warehouse = ?',
          pieces,
          sku,
          code,
        );
        this.database.run('INSERT INTO reservations VALUES (?, ?, ?, ?)', id, sku, code, pieces);
      }
      return { id, taken };
    });
  }

  #candidates(sku: string, warehouse: string | undefined): StockRow[] {
    if (warehouse !== undefined) return this.database.all(`${STOCK} AND warehouse = ?`, sku, warehouse);
    return this.database.all(`${STOCK} ORDER BY quantity DESC, warehouse`, sku);
  }

  #nextId(): string {
    const row = this.database.first<{ made: number }>('SELECT count(DISTINCT id) AS made FROM reservations');
    return `RSV-${1001 + (row?.made ?? 0)}`;
  }
}

/** Splits a quantity over warehouses in their order; `undefined` when they hold less. */
function share(quantity: number, rows: readonly StockRow[]): StockRow[] | undefined {
  const taken: StockRow[] = [];
  let missing = quantity;
  for (const row of rows) {
    const pieces = Math.min(missing, row.quantity);
    if (pieces > 0) taken.push({ code: row.code, quantity: pieces });
    missing -= pieces;
  }
  return missing === 0 ? taken : undefined;
}
