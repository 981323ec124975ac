import { Describe } from '@sigil/core';
import { IsNotEmpty, IsNumber, IsOptional, IsPositive, IsString } from 'class-validator';

/** What `product_recommendation` is given. */
export class RecommendationRequest {
  @Describe('Id of a category, as commerce://catalog/categories lists them', { examples: ['tents'] })
  @IsString()
  @IsNotEmpty()
  category!: string;

  @Describe('Most the customer wants to pay for one piece, in euros', { examples: [250] })
  @IsOptional()
  @IsNumber()
  @IsPositive()
  budget?: number;
}
