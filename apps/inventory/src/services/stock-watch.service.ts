import { Resource, Service } from '@sigil/core';
import { ProductRepository } from '../repositories/product-repository.js';
import { ResourceUpdates } from '../resource-updates.js';

/** A product with so many pieces, or fewer, should be ordered again. */
const LOW_STOCK = 10;
const LOW_STOCK_URI = 'commerce://stock/low';

/** A product that is running out. */
export interface LowStock {
  readonly sku: string;
  readonly name: string;
  readonly quantity: number;
}

/** Watches how much there is of each product, and tells clients. */
@Service()
export class StockWatch {
  constructor(
    private readonly products: ProductRepository,
    private readonly updates: ResourceUpdates,
  ) {}

  @Resource(LOW_STOCK_URI, {
    title: 'Low stock',
    description: `Products of which ${LOW_STOCK} pieces or fewer are left; subscribe to hear when one joins them`,
    mimeType: 'application/json',
  })
  lowStock(): LowStock[] {
    return this.products.scarce(LOW_STOCK).map(({ sku, name, quantity }) => ({ sku, name, quantity }));
  }

  /**
   * Tells subscribers that the stock of a product has fallen.
   *
   * @param taken pieces that were taken.
   * @param left pieces that are left.
   * @returns whether the product has become scarce.
   */
  fell(sku: string, taken: number, left: number): boolean {
    this.updates.announce(`commerce://products/${sku}`);
    if (left <= LOW_STOCK) this.updates.announce(LOW_STOCK_URI);
    return left <= LOW_STOCK && left + taken > LOW_STOCK;
  }
}
