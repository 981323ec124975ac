import { Describe } from '@sigil/core';
import { IsNotEmpty, IsOptional, IsString } from 'class-validator';

/** What `check_inventory` is asked. */
export class StockQuery {
  @Describe('Stock keeping unit of the product; upper or lower case', { examples: ['TNT-1002'] })
  @IsString()
  @IsNotEmpty()
  sku!: string;

  @Describe('Code of one warehouse to look in; all of them when left out', { examples: ['RTM-01'] })
  @IsOptional()
  @IsString()
  warehouse?: string;
}
