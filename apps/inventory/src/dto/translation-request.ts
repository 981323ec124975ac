import { Describe } from '@sigil/core';
import { IsNotEmpty, IsString, MaxLength } from 'class-validator';

/** The arguments of the prompt `product_translation`. */
export class TranslationRequest {
  @Describe('Stock keeping unit of the product; upper or lower case', { examples: ['TNT-1002'] })
  @IsString()
  @IsNotEmpty()
  sku!: string;

  @Describe('Language to translate to', { examples: ['German'] })
  @IsString()
  @IsNotEmpty()
  @MaxLength(40)
  language!: string;
}
