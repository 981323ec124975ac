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

/** Notifies clients when the stock of a product falls, and lists the products that are running out. */
@Service()
export class StockWatch {
  constructor(
    private readonly products: ProductRepository,
    private readonly updates: ResourceUpdates,
  ) {}

  @Resource(LOW_STOCK_URI, {
    title: 'Low stock',
    description: `Products of which at most ${LOW_STOCK} pieces are left; subscribers are notified when the list changes`,
    mimeType: 'application/json',
  })
  lowStock(): LowStock[] {
    return this.products.scarce(LOW_STOCK).map(({ sku, name, quantity }) => ({ sku, name, quantity }));
  }

  /**
   * Notifies subscribed clients that the stock of a product has fallen.
   *
   * @param taken the number of pieces that were taken.
   * @param left the number of pieces that are left.
   * @returns whether the product has become scarce.
   */
  fell(sku: string, taken: number, left: number): boolean {
    this.updates.announce(`commerce://products/${sku}`);
    if (left <= LOW_STOCK) this.updates.announce(LOW_STOCK_URI);
    return left <= LOW_STOCK && left + taken > LOW_STOCK;
  }
}
