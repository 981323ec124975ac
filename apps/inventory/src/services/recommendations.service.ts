import { Complete, ERROR_CODES, Prompt, type PromptMessage, ProtocolError, Service, user } from '@sigil/core';
import { RecommendationRequest } from '../dto/recommendation-request.js';
import { formatEuros } from '../money.js';
import { type Category, type Product, ProductRepository } from '../repositories/product-repository.js';

/** Advice on what to buy. */
@Service()
export class Recommendations {
  constructor(private readonly products: ProductRepository) {}

  /** @throws ProtocolError when there is no such category. */
  @Prompt({
    title: 'Product recommendation',
    description: 'Recommends products of a category that are in stock, within a budget',
  })
  productRecommendation({ category: id, budget }: RecommendationRequest): PromptMessage[] {
    const category = this.#categoryOf(id);
    // What a budget of 49.999 euros can pay is 49.99.
    const limit = budget === undefined ? Number.MAX_SAFE_INTEGER : Math.floor(budget * 100 + 1e-6);
    const products = this.products.available(category.id, limit);
    const within = budget === undefined ? '' : ` for at most ${formatEuros(limit)} a piece`;
    return [
      user(`In stock now, from the category "${category.name}"${within}:\n\n${listOf(products)}`),
      user(
        `Recommend the best choice for a customer who looks for something from "${category.name}"${within}. ` +
          'Choose only from the products above, name the SKU, and give one reason for it and one alternative. ' +
          'If nothing fits, say so.',
      ),
    ];
  }

  @Complete('product_recommendation', 'category')
  categoryIds(typed: string): string[] {
    return this.#ids().filter((id) => id.startsWith(typed.toLowerCase()));
  }

  #categoryOf(id: string): Category {
    const category = this.products.categories().find((one) => one.id === id.trim().toLowerCase());
    if (category) return category;
    const message = `There is no category "${id}". The categories are ${this.#ids().join(', ')}.`;
    throw new ProtocolError(ERROR_CODES.invalidParams, message);
  }

  #ids(): string[] {
    return this.products.categories().map(({ id }) => id);
  }
}

function listOf(products: readonly Product[]): string {
  if (products.length === 0) return '(nothing)';
  return products
    .map(({ sku, name, priceCents, quantity, description }) => {
      return `- ${sku} ${name}, ${formatEuros(priceCents)}, ${quantity} in stock. ${description}`;
    })
    .join('\n');
}
