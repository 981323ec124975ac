import { Complete, Param, Resource, Service } from '@sigil/core';
import { toEuros } from '../money.js';
import { type Category, type Product, ProductRepository } from '../repositories/product-repository.js';

/** A product in the form that clients receive. */
export interface ProductPage extends Omit<Product, 'priceCents'> {
  readonly price: number;
  readonly currency: 'EUR';
}

/** The catalogue of the shop. */
@Service()
export class Catalog {
  constructor(private readonly products: ProductRepository) {}

  @Resource('commerce://catalog/categories', {
    title: 'Categories',
    description: 'Every category of the catalogue, with its number of products',
    mimeType: 'application/json',
  })
  categories(): Category[] {
    return this.products.categories();
  }

  @Resource('commerce://products/{sku}', {
    title: 'Product',
    description: 'A product by SKU: description, price in euros, weight in grams, and pieces in stock',
    mimeType: 'application/json',
  })
  product(@Param('sku', { description: 'Stock keeping unit' }) sku: string): ProductPage | undefined {
    const found = this.products.bySku(sku);
    if (!found) return undefined;
    const { priceCents, ...product } = found;
    return { ...product, price: toEuros(priceCents), currency: 'EUR' };
  }

  @Complete('commerce://products/{sku}', 'sku')
  skus(typed: string): string[] {
    return this.products.skus().filter((sku) => sku.startsWith(typed.toUpperCase()));
  }
}
