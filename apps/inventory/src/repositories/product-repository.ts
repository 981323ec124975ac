import { Service } from '@sigil/core';
import { Database } from '../database/database.js';
import type { PriceRange } from '../price-range.js';

/** A kind of products. */
export interface Category {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** How many products belong to it. */
  readonly products: number;
}

/** A product as the shop sells it. */
export interface Product {
  readonly sku: string;
  readonly name: string;
  /** Id of its category. */
  readonly category: string;
  readonly description: string;
  readonly priceCents: number;
  readonly weightGrams: number;
  /** Pieces in stock, in all warehouses together. */
  readonly quantity: number;
}

const PRODUCT = `
  SELECT sku, name, category, description, priceCents, weightGrams,
    (SELECT coalesce(sum(quantity), 0) FROM stock WHERE stock.sku = products.sku) AS quantity
  FROM products`;

/** Reads products and categories. */
@Service()
export class ProductRepository {
  constructor(private readonly database: Database) {}

  /** Every category, by id. */
  categories(): Category[] {
    return this.database.all(`
      SELECT id, name, description, (SELECT count(*) FROM products WHERE category = id) AS products
      FROM categories ORDER BY id`);
  }

  /** @returns `undefined` when there is no product with this SKU. */
  bySku(sku: string): Product | undefined {
    return this.database.first(`${PRODUCT} WHERE sku = ?`, sku);
  }

  /**
   * Products of a category that are in stock, cheapest first.
   *
   * @param range leaves cheaper and dearer ones out.
   */
  available(category: string, { minCents, maxCents }: PriceRange): Product[] {
    const where = 'WHERE category = ? AND priceCents BETWEEN ? AND ? AND quantity > 0';
    return this.database.all(`${PRODUCT} ${where} ORDER BY priceCents, sku`, category, minCents, maxCents);
  }

  /** Products with a number of pieces in stock or fewer, scarcest first. */
  scarce(pieces: number): Product[] {
    return this.database.all(`${PRODUCT} WHERE quantity <= ? ORDER BY quantity, sku`, pieces);
  }

  /** Every SKU, in order. */
  skus(): string[] {
    return this.database.all<{ sku: string }>('SELECT sku FROM products ORDER BY sku').map(({ sku }) => sku);
  }
}
