import { Describe } from '@sigil/core';
import { IsNotEmpty, IsOptional, IsString, Matches } from 'class-validator';
import { BUDGET } from '../price-range.js';

/** The arguments of the prompt `product_recommendation`. */
export class RecommendationRequest {
  @Describe('Id or name of a category; the resource commerce://catalog/categories lists both', {
    examples: ['tents', 'running shoes'],
  })
  @IsString()
  @IsNotEmpty()
  category!: string;

  @Describe('Budget of the customer for one piece, in euros: a maximum price, or a range', {
    examples: ['250', '50-100'],
  })
  @IsOptional()
  @IsString()
  @Matches(BUDGET)
  budget?: string;
}
