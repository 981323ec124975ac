import { nearWords } from './near-words.js';
import type { Product, ProductRepository } from './repositories/product-repository.js';

/**
 * Finds a product by its SKU. The case of the SKU is ignored.
 *
 * @param fail a function that creates the error from its message. The message suggests similar SKUs.
 * @throws the error of `fail` when there is no such product.
 */
export function findProduct(
  products: ProductRepository,
  sku: string,
  fail: (message: string) => Error,
): Product {
  const product = products.bySku(sku.trim());
  if (product) return product;
  const near = nearWords(sku.trim(), products.skus()).map((word) => products.bySku(word));
  const names = near.flatMap((one) => (one ? [`${one.sku} (${one.name})`] : []));
  const hint =
    names.length > 0
      ? `Did you mean ${names.join(', ')}?`
      : 'Read commerce://catalog/categories to see what there is.';
  throw fail(`There is no product with the SKU "${sku}". ${hint}`);
}
