import { Complete, ERROR_CODES, Prompt, ProtocolError, Service } from '@sigil/core';
import { type PromptMessage, message } from '@sigil/core/content';
import { TranslationRequest } from '../dto/translation-request.js';
import { findProduct } from '../find-product.js';
import { ProductRepository } from '../repositories/product-repository.js';

const LANGUAGES = ['Dutch', 'English', 'French', 'German', 'Polish', 'Spanish'];

/** A prompt that translates the texts of products. */
@Service()
export class Translations {
  constructor(private readonly products: ProductRepository) {}

  /** @throws ProtocolError when there is no such product. */
  @Prompt({
    title: 'Product translation',
    description: 'Translates the name and the description of a product',
  })
  productTranslation({ sku, language }: TranslationRequest): PromptMessage {
    const invalid = (message: string): Error => new ProtocolError(ERROR_CODES.invalidParams, message);
    const { name, description } = findProduct(this.products, sku, invalid);
    return message.user(
      `Translate the name and the description of a product of an outdoor shop to ${language}. ` +
        'Keep proper names, numbers and units as they are, and answer with the translation alone.\n\n' +
        `Name: ${name}\nDescription: ${description}`,
    );
  }

  @Complete('product_translation', 'sku')
  skus(typed: string): string[] {
    return this.products.skus().filter((sku) => sku.startsWith(typed.toUpperCase()));
  }

  @Complete('product_translation', 'language')
  languages(typed: string): string[] {
    return LANGUAGES.filter((language) => language.toLowerCase().startsWith(typed.toLowerCase()));
  }
}
