import { Complete, ERROR_CODES, Prompt, ProtocolError, Service } from '@sigil/core';
import { type PromptMessage, message } from '@sigil/core/content';
import { RecommendationRequest } from '../dto/recommendation-request.js';
import { formatEuros } from '../money.js';
import { formatRange, readBudget } from '../price-range.js';
import { type Category, type Product, ProductRepository } from '../repositories/product-repository.js';

/** A prompt that recommends products. */
@Service()
export class Recommendations {
  constructor(private readonly products: ProductRepository) {}

  /** @throws ProtocolError when there is no such category. */
  @Prompt({
    title: 'Product recommendation',
    description: 'Recommends products of a category that are in stock, within a budget',
  })
  productRecommendation({ category: wanted, budget }: RecommendationRequest): PromptMessage[] {
    const category = this.#categoryOf(wanted);
    const range = readBudget(budget);
    const products = this.products.available(category.id, range);
    const within = formatRange(range);
    return [
      message.user(`In stock now, from the category "${category.name}"${within}:\n\n${listOf(products)}`),
      message.user(
        `Recommend the best choice for a customer who looks for something from "${category.name}"${within}. ` +
          'Choose only from the products above. Name the SKU of your choice, give one reason for it, and name one ' +
          'alternative. If nothing fits, say so.',
      ),
    ];
  }

  @Complete('product_recommendation', 'category')
  categoryIds(typed: string): string[] {
    return this.#ids().filter((id) => id.startsWith(typed.toLowerCase()));
  }

  /** Finds a category by its id, its name, or words of these: "Tents and shelters", "tent", "running shoes". */
  #categoryOf(wanted: string): Category {
    const words = wordsOf(wanted);
    const category = this.products.categories().find(({ id, name }) => {
      const known = wordsOf(`${id} ${name}`);
      return words.length > 0 && words.every((word) => known.includes(word));
    });
    if (category) return category;
    const message = `There is no category "${wanted}". The categories are ${this.#ids().join(', ')}.`;
    throw new ProtocolError(ERROR_CODES.invalidParams, message);
  }

  #ids(): string[] {
    return this.products.categories().map(({ id }) => id);
  }
}

/** The words of a text, in lower case and singular. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
  return words.map((word) => word.replace(/s$/, ''));
}

function listOf(products: readonly Product[]): string {
  if (products.length === 0) return '(nothing)';
  return products
    .map(({ sku, name, priceCents, quantity, description }) => {
      return `- ${sku} ${name}, ${formatEuros(priceCents)}, ${quantity} in stock. ${description}`;
    })
    .join('\n');
}
