import { Service } from '@sigil/core';
import { Database } from '../database/database.js';
import type { PriceRange } from '../price-range.js';

/** A category of products. */
export interface Category {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** The number of products in this category. */
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

  /** Returns all categories, sorted by id. */
  categories(): Category[] {
    return this.database.all(`
      SELECT id, name, description, (SELECT count(*) FROM products WHERE category = id) AS products
      FROM categories ORDER BY id`);
  }

  /** Returns the product with this SKU; `undefined` if it does not exist. */
  bySku(sku: string): Product | undefined {
    return this.database.first(`${PRODUCT} WHERE sku = ?`, sku);
  }

  /**
   * Returns the products of a category that are in stock, cheapest first.
   *
   * @param range the range of prices. Cheaper and more expensive products are left out.
   */
  available(category: string, { minCents, maxCents }: PriceRange): Product[] {
    const where = 'WHERE category = ? AND priceCents BETWEEN ? AND ? AND quantity > 0';
    return this.database.all(`${PRODUCT} ${where} ORDER BY priceCents, sku`, category, minCents, maxCents);
  }

  /** Returns the products with at most `pieces` pieces in stock, sorted by the number of these pieces. */
  scarce(pieces: number): Product[] {
    return this.database.all(`${PRODUCT} WHERE quantity <= ? ORDER BY quantity, sku`, pieces);
  }

  /** Returns all SKUs in alphabetical order. */
  skus(): string[] {
    return this.database.all<{ sku: string }>('SELECT sku FROM products ORDER BY sku').map(({ sku }) => sku);
  }
}
